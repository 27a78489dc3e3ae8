#!/bin/bash
# Installs into an empty place and builds a client there: by pkg-config (shared and static) and by
# find_package.   test_install.sh BUILD
set -e
build=$(realpath "${1:-build/release}")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" > /dev/null
# found by itself after a move
mv "$prefix" "$work/moved"
prefix=$work/moved
export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name trammel.pc)")
lib=$(pkg-config --variable=libdir trammel)

cc test/client/main.c -o "$work/shared" $(pkg-config --cflags --libs trammel)
LD_LIBRARY_PATH=$lib "$work/shared"
cc test/client/main.c -o "$work/static" $(pkg-config --cflags trammel) "$lib/libtrammel.a" \
  $(pkg-config --static --libs trammel | sed 's/-ltrammel//')
"$work/static"
cmake -S test/client -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" > "$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
cmake --build "$work/build" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/client"
"$work/build/client_static"

"$prefix/bin/trammel" --version
test -f "$prefix/share/man/man1/trammel.1"
# only what the headers declare is visible
nm -D --defined-only "$lib/libtrammel.so" | awk '$2 ~ /[TDBR]/ && $3 !~ /^tr_/ { print; bad = 1 } END { exit bad }'
