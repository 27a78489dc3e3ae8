// SPDX-License-Identifier: Apache-2.0
// Rows of the table in test_model_errors.c: title, model, messages.
// clang-format off
    {"empty file", "", "m.yaml: the file is empty\n"},
    {"comments only", "# nothing\n", "m.yaml: the file is empty\n"},
    {"a list at the top",
     "- 1\n"
     "- 2\n",
     "m.yaml:1:1: a map of sections is expected\n"},
    {"a text at the top", "hello\n", "m.yaml:1:1: a map of sections is expected\n"},
    {"syntax: bracket not closed",
     "trammel: 1\n"
     "gravity: [0, -9.81\n",
     "m.yaml:2:10: \"[\" is not closed (noticed at line 3, column 1: flow sequence without a "
     "closing bracket)\n"},
    {"syntax: brace not closed, noticed in the next line",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1\n"
     "  arm: {type: planar, mass: 1, inertia: 1}\n",
     "m.yaml:3:8: \"{\" is not closed (noticed at line 4, column 6: missing comma in flow "
     "mapping)\n"},
    {"syntax: bracket not closed, noticed two lines later",
     "trammel: 1\n"
     "output: [rod.x, rod.y\n"
     "\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1}\n",
     "m.yaml:2:9: \"[\" is not closed (noticed at line 5, column 6: missing comma in flow "
     "sequence)\n"},
    {"syntax: the wrong bracket",
     "trammel: 1\n"
     "joints: {\n"
     "  pin: {type: revolute, markers: [ground, rod},\n"
     "}\n",
     "m.yaml:3:34: \"[\" is not closed (noticed at line 3, column 46: mismatched flow mapping "
     "end)\n"},
    {"syntax: the brace in a list that is closed",
     "trammel: 1\n"
     "joints:\n"
     "  pin: {type: revolute, markers: [ground, {body: bar, at: [-25 cm, 0]]}\n",
     "m.yaml:3:43: \"{\" is not closed (noticed at line 3, column 70: mismatched flow sequence end)\n"},
    {"syntax: the innermost of three",
     "trammel: 1\n"
     "joints:\n"
     "  pin: {type: revolute, markers: [ground, {body: bar, at: [-25 cm, 0}]}\n",
     "m.yaml:3:59: \"[\" is not closed (noticed at line 3, column 69: mismatched flow mapping end)\n"},
    {"syntax: a list in a list",
     "trammel: 1\n"
     "joints:\n"
     "  a: {x: [1, [2, 3}}\n",
     "m.yaml:3:14: \"[\" is not closed (noticed at line 3, column 19: mismatched flow mapping end)\n"},
    {"syntax: brackets in quotes and comments are none",
     "trammel: 1\n"
     "joints:\n"
     "  a: {x: 'it''s [', \"k}\":\"]\", é: don't, z: [1, # ]\n"
     "    \"\\\"]\", [2, 3}}\n",
     "m.yaml:4:12: \"[\" is not closed (noticed at line 4, column 17: mismatched flow mapping end)\n"},
    {"syntax: a comma is missing, nothing is open",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar\n"
     "        mass: 1, inertia: 1}\n",
     "m.yaml:4:13: missing comma in flow mapping\n"},
    {"syntax: quote not closed, noticed later",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: \"1, inertia: 1}\n"
     "simulation: {end: 1}\n",
     "m.yaml:3:29: the closing quote is missing, or lines of the text are indented too little\n"},
    {"syntax: bad indentation",
     "trammel: 1\n"
     " name: x\n",
     "m.yaml:1:10: invalid multiline plain key\n"},
    {"syntax: tab",
     "trammel: 1\n"
     "bodies:\n"
     "\trod: 1\n",
     "m.yaml:3:1: tab character may not be used as indentation\n"},
    {"syntax: quote not closed",
     "trammel: 1\n"
     "name: \"abc\n",
     "m.yaml:2:7: the closing quote is missing, or lines of the text are indented too little\n"},
    {"syntax: template without quotes in brackets",
     "trammel: 1\n"
     "output: [link_{0}.x]\n",
     "m.yaml:2:15: missing comma in flow sequence (names with {...} need quotes inside bra"
     "ckets)\n"},
    {"two documents",
     "trammel: 1\n"
     "---\n"
     "trammel: 1\n",
     "m.yaml:2:1: only one document is allowed\n"},
    {"version missing", "name: x\n",
     "m.yaml: \"trammel: 1\" is missing: the version of the format\n"},
    {"version wrong", "trammel: 2\n",
     "m.yaml:1:10: trammel: the version of the format must be 1\n"},
    {"unknown section",
     "trammel: 1\n"
     "bodys: {}\n",
     "m.yaml:2:1: unknown key \"bodys\" (did you mean \"bodies\"?)\n"},
    {"section twice",
     "trammel: 1\n"
     "name: a\n"
     "name: b\n",
     "m.yaml:3:1: key \"name\" is given twice, first at line 2\n"},
    {"body twice", ROD "  rod: {type: planar, mass: 2, inertia: 1}\n",
     "m.yaml:4:3: body \"rod\" is given twice, first at line 3\n"},
    {"key twice",
     "trammel: 1\n"
     "bodies:\n"
     "  rod:\n"
     "    mass: 1\n"
     "    type: planar\n"
     "    inertia: 1\n"
     "    mass: 2\n",
     "m.yaml:7:5: body \"rod\": key \"mass\" is given twice, first at line 4\n"},
    {"key twice deep",
     "trammel: 1\n"
     "markers:\n"
     "  m: {at: [0, 0], at: [1, 1]}\n",
     "m.yaml:3:19: marker \"m\": key \"at\" is given twice, first at line 3\n"},
    {"flexible body in other coordinates",
     "trammel: 1\n"
     "bodies:\n"
     "  b: {type: spatial-beam, length: 1, density: 1, area: 1, Iy: 1, Iz: 1, young: 1, "
     "coordinates: euler-parameters}\n",
     "m.yaml:3:96: body \"b\": coordinates: unknown choice \"euler-parameters\" (lie)\n"},
    {"tag", "trammel: !!int 1\n", "m.yaml:1:10: tags (!...) are not supported\n"},
    {"merge key",
     "trammel: 1\n"
     "simulation: {<<: {end: 1}}\n",
     "m.yaml:2:14: merge keys (<<) are not supported\n"},
    {"unknown alias",
     "trammel: 1\n"
     "gravity: *g\n",
     "m.yaml:2:11: unknown alias \"*g\"\n"},
    {"a list as key",
     "trammel: 1\n"
     "? [a, b]\n"
     ": 1\n",
     "m.yaml:2:3: a key must be a text\n"},
    {"zero byte",
     "trammel: 1\n"
     "name: \"a\\0b\"\n",
     "m.yaml:2:7: a text holds a zero byte\n"},
    {"not UTF-8",
     "trammel: 1\n"
     "name: caf\xe9\n",
     "m.yaml:2:10: not a text in UTF-8\n"},
    {"directive",
     "%TAG ! x\n"
     "---\n"
     "trammel: 1\n",
     "m.yaml:1:1: directives (%...) are not supported\n"},
    {"block text on its own line",
     "trammel: 1\n"
     "description:\n"
     "  |\n"
     "  text\n",
     "m.yaml:4:1: a block text (| or >) must begin on the line of its key\n"},
    {"block text not indented",
     "trammel: 1\n"
     "simulation:\n"
     "  method: |\n"
     "  end: 1\n",
     "m.yaml:4:1: a block text (| or >) must be indented more than its key\n"},
    {"sections of the wrong kind",
     "trammel: 1\n"
     "parameters: 3\n"
     "bodies: [a]\n"
     "repeat: {for: i}\n"
     "simulation: 2 s\n"
     "output: {a: b}\n"
     "name: [x]\n",
     "m.yaml:2:13: parameters: a map of \"name: value\" is expected\n"
     "m.yaml:7:7: name: a text is expected\n"
     "m.yaml:5:13: simulation: a map {end: ..., step: ..., method: ...} is expected\n"
     "m.yaml:6:9: output: a list of names is expected\n"
     "m.yaml:3:9: bodies: a map of \"name: {...}\" is expected\n"
     "m.yaml:4:9: repeat: a list of blocks is expected\n"},
    {"body is no map",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: 3\n",
     "m.yaml:3:8: body \"rod\": a map {...} is expected\n"},
    {"type missing",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {mass: 1}\n",
     "m.yaml:3:8: body \"rod\": type is missing\n"},
    {"no blank after a colon",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type:planar, mass: 1, inertia: 1}\n"
     "  arm: {type: planar, mass:1, inertia: 1}\n"
     "forces:\n"
     "  f: {type:force, markers: [rod]}\n",
     "m.yaml:3:9: body \"rod\": unknown key \"type:planar\" (a blank must follow the colon)\n"
     "m.yaml:4:23: body \"arm\": unknown key \"mass:1\" (a blank must follow the colon)\n"
     "m.yaml:4:8: body \"arm\": mass is missing\n"
     "m.yaml:6:7: force \"f\": unknown key \"type:force\" (a blank must follow the colon)\n"},
    {"unknown body type",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: plannar, mass: 1}\n",
     "m.yaml:3:15: body \"rod\": unknown type \"plannar\" (did you mean \"planar\"?)\n"},
    {"unknown key",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mas: 1, mass: 1, inertia: 1}\n",
     "m.yaml:3:23: body \"rod\": unknown key \"mas\" (did you mean \"mass\"?)\n"},
    {"keys missing",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar}\n",
     "m.yaml:3:8: body \"rod\": mass, inertia are missing\n"},
    {"value missing",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: , inertia: 1}\n",
     "m.yaml:3:23: body \"rod\": mass: a value is missing\n"},
    {"not positive",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: -1, inertia: 1}\n",
     "m.yaml:3:29: body \"rod\": mass: must be positive, is -1\n"},
    {"below the least",
     ROD "forces:\n"
         "  s: {type: spring-damper, markers: [ground, rod], stiffness: -5}\n",
     "m.yaml:5:63: force \"s\": stiffness: must be at least 0, is -5\n"},
    {"wrong unit",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 30 cm, inertia: 1}\n",
     "m.yaml:3:29: body \"rod\": mass: \"30 cm\" is a length (m), a mass (kg) is expected"
     "\n"},
    {"wrong unit in a list",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1, position: [1 m, 2 kg]}\n",
     "m.yaml:3:60: body \"rod\": position: \"2 kg\" is a mass (kg), a length (m) is expect"
     "ed\n"},
    {"unit without a name",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 3 kg/m^2, inertia: 1}\n",
     "m.yaml:3:29: body \"rod\": mass: \"3 kg/m^2\" is of the unit kg/m^2, a mass (kg) is "
     "expected\n"},
    {"angle for a length",
     "trammel: 1\n"
     "markers:\n"
     "  m: {at: [30 deg, 0]}\n",
     "m.yaml:3:12: marker \"m\": at: \"30 deg\" is an angle (rad), a length (m) is expecte"
     "d\n"},
    {"length for an angle",
     "trammel: 1\n"
     "markers:\n"
     "  m: {angle: 3 mm}\n",
     "m.yaml:3:14: marker \"m\": angle: \"3 mm\" is a length (m), an angle (rad) is expect"
     "ed\n"},
    {"unknown unit",
     "trammel: 1\n"
     "markers:\n"
     "  m: {at: [3 cmm, 0]}\n",
     "m.yaml:3:14: marker \"m\": at: unknown unit \"cmm\" in \"3 cmm\" (did you mean \"mm"
     "\"?)\n"},
    {"unknown name",
     "trammel: 1\n"
     "parameters:\n"
     "  m1: 3\n"
     "bodies:\n"
     "  crank:\n"
     "    type: planar\n"
     "    mass: m_1*2\n"
     "    inertia: 1\n",
     "m.yaml:7:11: body \"crank\": mass: unknown name \"m_1\" in \"m_1*2\" (did you mean "
     "\"m1\"?)\n"},
    {"unknown function",
     "trammel: 1\n"
     "markers:\n"
     "  m: {angle: 2*sine(3)}\n",
     "m.yaml:3:16: marker \"m\": angle: unknown function \"sine\" in \"2*sine(3)\" (did yo"
     "u mean \"sin\"?)\n"},
    {"function without arguments",
     "trammel: 1\n"
     "markers:\n"
     "  m: {angle: sin}\n",
     "m.yaml:3:14: marker \"m\": angle: the function \"sin\" needs its arguments in ( )\n"},
    {"too many arguments",
     "trammel: 1\n"
     "markers:\n"
     "  m: {angle: \"sin(1, 2)\"}\n",
     "m.yaml:3:15: marker \"m\": angle: sin takes 1 argument in \"sin(1, 2)\"\n"},
    {"parenthesis",
     "trammel: 1\n"
     "markers:\n"
     "  m: {angle: 2*(3+4}\n",
     "m.yaml:3:20: marker \"m\": angle: a \")\" is missing in \"2*(3+4\"\n"},
    {"operand missing",
     "trammel: 1\n"
     "markers:\n"
     "  m: {angle: 2*}\n"
     "  n: {angle: 2**3}\n"
     "  o: {angle: 1..2}\n",
     "m.yaml:3:16: marker \"m\": angle: a value is missing at the end in \"2*\"\n"
     "m.yaml:4:16: marker \"n\": angle: a value is missing before \"*\" in \"2**3\"\n"
     "m.yaml:5:14: marker \"o\": angle: a number should stand here in \"1..2\"\n"},
    {"kinds added",
     "trammel: 1\n"
     "parameters:\n"
     "  a: 3 cm + 2 kg\n",
     "m.yaml:3:11: parameter \"a\": \"+\" of two kinds: a length (m) and a mass (kg) in \""
     "3 cm + 2 kg\"\n"},
    {"function of a length",
     "trammel: 1\n"
     "parameters:\n"
     "  a: sin(3 cm)\n"
     "  b: exp(3 kg)\n"
     "  c: 2^(1 m)\n",
     "m.yaml:3:6: parameter \"a\": sin of a length (m): an angle or a plain number is expe"
     "cted in \"sin(3 cm)\"\n"
     "m.yaml:4:6: parameter \"b\": exp of a mass (kg): a plain number is expected in \"exp"
     "(3 kg)\"\n"
     "m.yaml:5:7: parameter \"c\": the exponent is a length (m), not a plain number in \"2"
     "^(1 m)\"\n"},
    {"unit on unit",
     "trammel: 1\n"
     "parameters:\n"
     "  a: (3 cm) m\n",
     "m.yaml:3:13: parameter \"a\": a unit on a value that already has one in \"(3 cm) m\""
     "\n"},
    {"not finite",
     "trammel: 1\n"
     "parameters:\n"
     "  a: 1/0\n"
     "  b: sqrt(-1)\n"
     "  c: a+1\n",
     "m.yaml:3:6: parameter \"a\": \"1/0\" is not a finite number\n"
     "m.yaml:4:6: parameter \"b\": \"sqrt(-1)\" is not a finite number\n"},
    {"too deep",
     "trammel: 1\n"
     "parameters:\n"
     "  a: ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
     "(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1\n",
     "m.yaml:3:56: parameter \"a\": the expression is nested too deeply in \"((((((((((((("
     "(((((((((((((((((((((((((((((((((((((((((((((((...\"\n"},
    {"parameter cycle",
     "trammel: 1\n"
     "parameters:\n"
     "  a: b+1\n"
     "  b: 2*c\n"
     "  c: a\n"
     "  d: a\n",
     "m.yaml:3:6: parameter \"a\": depends on itself: a -> b -> c -> a\n"},
    {"parameter names",
     "trammel: 1\n"
     "parameters:\n"
     "  a-b: 1\n"
     "  sin: 2\n"
     "  pi: 3\n"
     "  l: [1]\n",
     "m.yaml:3:3: parameter \"a-b\": a name is letters, digits and _, and starts with no d"
     "igit\n"
     "m.yaml:4:3: parameter \"sin\": this name is taken by a function or constant\n"
     "m.yaml:5:3: parameter \"pi\": this name is taken by a function or constant\n"
     "m.yaml:6:6: parameter \"l\": a number is expected, not a list\n"},
    {"vector length",
     "trammel: 1\n"
     "gravity: [0, 1, 2, 3]\n"
     "markers:\n"
     "  m: {at: 3}\n",
     "m.yaml:2:10: gravity: a list of 2 or 3 numbers is expected\n"
     "m.yaml:4:11: marker \"m\": at: a list of 2 or 3 numbers is expected\n"},
    {"vec2",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1, position: [1, 2, 3]}\n",
     "m.yaml:3:54: body \"rod\": position: a list of 2 numbers is expected\n"},
    {"tensor",
     "trammel: 1\n"
     "bodies:\n"
     "  b: {type: spatial, mass: 1, inertia: [1, 2]}\n",
     "m.yaml:3:40: body \"b\": inertia: a list of 3 numbers (xx, yy, zz) or 6 (xx, yy, zz,"
     " xy, xz, yz) is expected\n"},
    {"impossible tensor",
     "trammel: 1\n"
     "bodies:\n"
     "  b: {type: spatial, mass: 1, inertia: [1, 1, -3]}\n",
     "m.yaml:3:6: body \"b\": inertia is not positive definite\n"},
    {"rotations",
     "trammel: 1\n"
     "markers:\n"
     "  a: {orientation: [0, 0, 0, 0]}\n"
     "  b: {orientation: {axis: [0, 0, 0], angle: 1}}\n"
     "  c: {orientation: {w: 1}}\n"
     "  d: {orientation: {x: 1, y: 2}}\n"
     "  e: {orientation: {z-axis: [1, 0, 0], x-axis: [2, 0, 0]}}\n"
     "  f: {orientation: [1, 2]}\n",
     "m.yaml:3:20: marker \"a\": orientation: the quaternion is zero\n"
     "m.yaml:4:27: marker \"b\": orientation: the direction has zero length\n"
     "m.yaml:5:21: marker \"c\": orientation: unknown key \"w\" (known: axis, angle, x, y, z, z-axis, x-axis)\n"
     "m.yaml:6:20: marker \"d\": orientation: {axis, angle}, {z-axis, x-axis} or one of {x"
     "}, {y}, {z} is expected\n"
     "m.yaml:7:20: marker \"e\": orientation: z-axis and x-axis are parallel\n"
     "m.yaml:8:20: marker \"f\": orientation: a quaternion of 4 numbers or a list of rotat"
     "ions is expected\n"},
    {"keep",
     "trammel: 1\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1, keep: [x, angel]}\n",
     "m.yaml:3:54: body \"rod\": keep: planar bodies have no coordinate \"angel\" (did you"
     " mean \"angle\"?)\n"},
    {"names",
     "trammel: 1\n"
     "markers:\n"
     "  2a: {}\n"
     "  ground: {}\n"
     "  energy: {}\n",
     "m.yaml:3:3: marker \"2a\": a name is letters, digits, _ and -, and starts with a let"
     "ter or _\n"
     "m.yaml:4:3: marker \"ground\": this name is reserved\n"
     "m.yaml:5:3: marker \"energy\": this name is reserved\n"},
    {"name used by another section",
     ROD "markers:\n"
         "  rod: {}\n",
     "m.yaml:5:3: marker \"rod\": this name is already used by the body at line 3\n"},
    {"unknown body",
     ROD "markers:\n"
         "  m: {body: rid}\n",
     "m.yaml:5:13: marker \"m\": unknown body \"rid\" (did you mean \"rod\"?)\n"},
    {"unknown marker",
     ROD "markers:\n"
         "  tip: {body: rod}\n"
         "joints:\n"
         "  pin: {type: revolute, markers: [ground, tipp]}\n",
     "m.yaml:7:43: joint \"pin\": markers: unknown marker \"tipp\" (did you mean \"tip\"?)"
     "\n"},
    {"a joint is no marker",
     ROD "joints:\n"
         "  a: {type: revolute, markers: [ground, rod]}\n"
         "  b: {type: revolute, markers: [ground, a]}\n",
     "m.yaml:6:41: joint \"b\": markers: \"a\" is a joint; a marker or body is expected\n"},
    {"a marker is no body",
     ROD "markers:\n"
         "  m: {body: rod}\n"
         "  n: {body: m}\n",
     "m.yaml:6:13: marker \"n\": \"m\" is a marker; a body is expected\n"},
    {"contradictions",
     ROD "markers:\n"
         "  a: {at: [0, 0], at-global: [0, 0]}\n"
         "  b: {angle: 1, orientation: 2}\n"
         "  c: {like: rod, angle: 1}\n"
         "joints:\n"
         "  d: {type: revolute, markers: [ground, rod], bodies: [ground, rod], at: [0, 0]}\n"
         "  e: {type: revolute, bodies: [ground, rod], at: [0, 0], axis: [0, 0, 1], orientatio"
         "n: 1}\n"
         "  f: {type: revolute, markers: [ground, rod], at: [0, 0]}\n",
     "m.yaml:5:19: marker \"a\": \"at-global\" contradicts \"at\"\n"
     "m.yaml:6:7: marker \"b\": \"angle\" contradicts \"orientation\"\n"
     "m.yaml:7:18: marker \"c\": \"angle\" contradicts \"like\"\n"
     "m.yaml:9:47: joint \"d\": \"bodies\" contradicts \"markers\"\n"
     "m.yaml:10:58: joint \"e\": \"axis\" contradicts \"orientation\"\n"
     "m.yaml:11:47: joint \"f\": \"at\" goes with \"bodies\", not with \"markers\"\n"},
    {"like in a circle",
     "trammel: 1\n"
     "markers:\n"
     "  a: {like: b}\n"
     "  b: {like: c}\n"
     "  c: {like: a}\n",
     "m.yaml:3:13: marker \"a\": like: goes round in a circle through \"b\"\n"},
    {"unknown joint and force type",
     ROD "joints:\n"
         "  j: {type: hinge, markers: [ground, rod]}\n"
         "forces:\n"
         "  f: {type: spring-dampr, markers: [ground, rod]}\n",
     "m.yaml:5:13: joint \"j\": unknown type \"hinge\" (did you mean \"revolute\"?)\n"
     "m.yaml:7:13: force \"f\": unknown type \"spring-dampr\" (did you mean \"spring-dampe"
     "r\"?)\n"},
    {"number of markers",
     ROD "joints:\n"
         "  j: {type: revolute, markers: [ground]}\n"
         "  k: {type: revolute}\n"
         "  l: {type: revolute, bodies: [rod], at: [0, 0]}\n"
         "  m: {type: revolute, bodies: [ground, rod]}\n",
     "m.yaml:5:32: joint \"j\": markers: a list of 2 markers is expected\n"
     "m.yaml:6:6: joint \"k\": markers are missing\n"
     "m.yaml:7:31: joint \"l\": bodies: a list of 2 bodies is expected\n"
     "m.yaml:8:6: joint \"m\": \"at\" is missing: the place of the bodies' connection\n"},
    {"both on one body",
     ROD "markers:\n"
         "  a: {body: rod}\n"
         "joints:\n"
         "  j: {type: revolute, markers: [rod, a]}\n",
     "m.yaml:7:6: joint \"j\": all its markers are on \"rod\"\n"},
    {"out of the plane",
     ROD "joints:\n"
         "  j: {type: revolute, bodies: [ground, rod], at: [0, 0], axis: [1, 0, 1]}\n"
         "  k: {type: revolute, bodies: [ground, rod], at: [0, 0], orientation: {x: 1}}\n",
     "m.yaml:5:64: joint \"j\": axis: the direction leaves the plane\n"
     "m.yaml:6:6: joint \"k\": marker 1 turns out of the plane: its z axis must stay z\n"},
    {"joints of joints",
     ROD "joints:\n"
         "  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
         "  ball: {type: spherical, bodies: [ground, rod], at: [0, 0]}\n"
         "  a: {type: gear, joints: [pin, pim], ratio: 2}\n"
         "  b: {type: gear, joints: [pin, ball], ratio: 2}\n"
         "  c: {type: gear, joints: [pin], ratio: 2}\n"
         "  d: {type: revolute, joints: [pin, ball]}\n"
         "  e: {type: gear, joints: [pin, d], ratio: 2, markers: [ground, rod]}\n"
         "  f: {type: gear, joints: [pin, a], ratio: 2}\n"
         "  g: {type: gear, ratio: 2}\n"
         "  h: {type: rack-and-pinion, joints: [pin, pin], radius: 2}\n"
         "  i: {type: gear, joints: [pin, rod], ratio: 2}\n",
     "m.yaml:9:27: joint \"c\": joints: a list of 2 joints is expected\n"
     "m.yaml:10:23: joint \"d\": type revolute connects markers, not joints\n"
     "m.yaml:11:19: joint \"e\": \"joints\" contradicts \"markers\"\n"
     "m.yaml:13:6: joint \"g\": joints are missing\n"
     "m.yaml:7:33: joint \"a\": joints: unknown joint \"pim\" (did you mean \"pin\"?)\n"
     "m.yaml:8:33: joint \"b\": joints: \"ball\" does not fit: it has no angle\n"
     "m.yaml:12:33: joint \"f\": joints: \"a\" does not fit: it has no markers of its own\n"
     "m.yaml:14:44: joint \"h\": joints: \"pin\" does not fit: it has no way s\n"
     "m.yaml:15:33: joint \"i\": joints: \"rod\" is a body; a joint is expected\n"},
    {"repeat keys",
     "trammel: 1\n"
     "repeat:\n"
     "  - {for: i, form: 0, to: 2}\n"
     "  - {to: 2}\n"
     "  - {for: i}\n"
     "  - {for: pi, to: 1}\n"
     "  - {for: i, to: 1.5}\n"
     "  - 3\n",
     "m.yaml:3:14: repeat: unknown key \"form\" (did you mean \"for\"?)\n"
     "m.yaml:4:5: repeat: \"for\" is missing\n"
     "m.yaml:5:5: repeat: \"to\" is missing\n"
     "m.yaml:6:11: repeat: for: this name is taken by a function or constant\n"
     "m.yaml:7:18: repeat: to: must be a whole number, is 1.5\n"
     "m.yaml:8:5: repeat: a map {for: ..., from: ..., to: ..., ...} is expected\n"},
    {"repeat names",
     "trammel: 1\n"
     "repeat:\n"
     "  - for: i\n"
     "    to: 3\n"
     "    markers:\n"
     "      m: {}\n",
     "m.yaml:6:7: marker \"m\": the repeat makes this name again; put {i} into it\n"},
    {"repeat reports once",
     "trammel: 1\n"
     "repeat:\n"
     "  - for: i\n"
     "    to: 30\n"
     "    bodies:\n"
     "      b_{i}: {type: planar, mass: 1 m, inertia: j}\n",
     "m.yaml:6:35: body \"b_0\": mass: \"1 m\" is a length (m), a mass (kg) is expected\n"
     "m.yaml:6:49: body \"b_0\": inertia: unknown name \"j\"\n"},
    {"repeat parameters",
     "trammel: 1\n"
     "parameters: {L: 1}\n"
     "repeat:\n"
     "  - {for: i, to: 1, parameters: [1]}\n"
     "  - {for: i, to: 1, parameters: {L: i}}\n"
     "  - {for: i, to: 1, parameters: {i: 2}}\n"
     "  - {for: i, to: 1, parameters: {2x: 2}}\n"
     "  - {for: i, to: 1, parameters: {a: b, b: i}}\n"
     "  - {for: i, to: 1, parameters: {a: 1 m + 1 s}}\n",
     "m.yaml:4:33: repeat: a map of \"name: value\" is expected\n"
     "m.yaml:5:34: parameter \"L\": this name is taken by a parameter or an outer loop\n"
     "m.yaml:6:34: parameter \"i\": this name is taken by a parameter or an outer loop\n"
     "m.yaml:7:34: parameter \"2x\": a name is letters, digits and _, and starts with no digit\n"
     "m.yaml:8:37: parameter \"a\": unknown name \"b\"\n"
     "m.yaml:9:41: parameter \"a\": \"+\" of two kinds: a length (m) and a time (s) in \"1 m + 1 s\"\n"},
    {"repeat template",
     "trammel: 1\n"
     "repeat:\n"
     "  - for: i\n"
     "    to: 3\n"
     "    markers:\n"
     "      m_{k}: {}\n"
     "      n_{i/2}: {}\n"
     "      o_{i: {}\n",
     "m.yaml:6:7: marker \"m_{k}\": unknown name \"k\" in \"k\"\n"
     "m.yaml:8:7: marker \"o_{i\": \"{\" without \"}\" in \"o_{i\"\n"
     "m.yaml:7:7: marker \"n_{i/2}\": a whole number is expected, not 0.5, in \"i/2\"\n"},
    {"repeat dangling",
     "trammel: 1\n"
     "repeat:\n"
     "  - for: i\n"
     "    to: 3\n"
     "    markers:\n"
     "      m_{i}: {like: \"m_{i+1}\"}\n",
     "m.yaml:6:21: marker \"m_3\": like: unknown marker \"m_4\" (did you mean \"m_0\"?)\n"},
    {"repeat too much",
     "trammel: 1\n"
     "repeat:\n"
     "  - {for: i, to: 1e9}\n",
     "m.yaml:3:5: repeat: the model has more than 2000000 elements\n"},
    {"repeat without end hides what it names",
     "trammel: 1\n"
     "repeat:\n"
     "  - for: i\n"
     "    to: n\n"
     "    markers: {\"m_{i}\": {}}\n"
     "markers:\n"
     "  a: {like: m_0}\n",
     "m.yaml:4:9: repeat: to: unknown name \"n\"\n"},
    {"simulation",
     "trammel: 1\n"
     "simulation: {end: -1, stepp: 1, step: 1 m, method: [a]}\n",
     "m.yaml:2:19: simulation: end: must be positive, is -1\n"
     "m.yaml:2:23: simulation: unknown key \"stepp\" (did you mean \"step\"?)\n"
     "m.yaml:2:39: simulation: step: \"1 m\" is a length (m), a time (s) is expected\n"
     "m.yaml:2:52: simulation: method: a text is expected\n"},
    {"next to nothing",
     "trammel: 1\n"
     "bodies:\n"
     "  a: {type: planar, mass: 1e-306, inertia: 1}\n",
     "m.yaml:3:27: body \"a\": mass: must be at least 1e-150, is 1e-306: products of less count as "
     "zero\n"},
    {"many at once",
     "trammel: 1\n"
     "bodies:\n"
     "  a: {type: planar, mass: 0, inertia: 1}\n"
     "  b: {type: planar, mass: x, inertia: 1}\n"
     "  c: {type: planer}\n"
     "markers:\n"
     "  m: {body: d}\n",
     "m.yaml:3:27: body \"a\": mass: must be positive, is 0\n"
     "m.yaml:4:27: body \"b\": mass: unknown name \"x\"\n"
     "m.yaml:5:13: body \"c\": unknown type \"planer\" (did you mean \"planar\"?)\n"
     "m.yaml:7:13: marker \"m\": unknown body \"d\"\n"},
    // clang-format on
