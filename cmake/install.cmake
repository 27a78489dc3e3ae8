# make install: library, headers, command, manual page, completion; trammel.pc and a CMake package.
# Both are relocatable: they find themselves from where they lie.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trammel)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS trammel EXPORT trammel-targets)
install(TARGETS trammel_static EXPORT trammel-static-targets)
install(TARGETS trammel_cli)
install(DIRECTORY include/trammel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(FILES docs/man/trammel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completion/trammel.bash RENAME trammel
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completion/_trammel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

install(EXPORT trammel-targets NAMESPACE trammel:: DESTINATION ${package_dir})
install(EXPORT trammel-static-targets NAMESPACE trammel:: DESTINATION ${package_dir})
configure_package_config_file(cmake/trammel-config.cmake.in trammel-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(trammel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trammel-config.cmake
  ${PROJECT_BINARY_DIR}/trammel-config-version.cmake cmake/FindKLU.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(cmake/trammel.pc.in trammel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/trammel.pc DESTINATION ${pkgconfig_dir})
