// SPDX-License-Identifier: Apache-2.0
// Rows of the table in test_model_errors.c about events.
// clang-format off
    {"event: nothing to watch",
     ROD "events: {e: {stop: yes}}\n",
     "m.yaml:4:13: event \"e\": when is missing\n"},
    {"event: constant",
     ROD "events: {e: {when: 3, stop: yes}}\n",
     "m.yaml:4:20: event \"e\": depends on nothing that changes: it never crosses zero\n"},
    {"event: nothing happens",
     ROD "events: {e: {when: DX(rod)}}\n",
     "m.yaml:4:13: event \"e\": nothing happens: give one of stop, restitution, set, lock, unlock, message\n"},
    {"event: unknown key",
     ROD "events: {e: {when: DX(rod), stopp: yes}}\n",
     "m.yaml:4:29: event \"e\": unknown key \"stopp\" (did you mean \"stop\"?)\n"},
    {"event: unknown marker",
     ROD "events: {e: {when: DX(rodd), stop: yes}}\n",
     "m.yaml:4:23: event \"e\": when: unknown marker \"rodd\" in \"DX(rodd)\" (did you mean \"rod\"?)\n"},
    {"event: no such joint",
     ROD "events: {e: {when: DX(rod), lock: pin}}\n",
     "m.yaml:4:35: event \"e\": lock: unknown joint \"pin\"\n"},
    {"event: a body is no joint",
     ROD "events: {e: {when: DX(rod), unlock: [rod]}}\n",
     "m.yaml:4:38: event \"e\": unlock: \"rod\" is a body; a joint is expected\n"},
    {"event: no such parameter",
     "trammel: 1\n"
     "parameters: {k: 1}\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1}\n"
     "events: {e: {when: DX(rod), set: {kk: 2}}}\n",
     "m.yaml:5:35: event \"e\": set: no parameter \"kk\" (did you mean \"k\"?)\n"},
    {"event: a parameter of another kind",
     "trammel: 1\n"
     "parameters: {k: 1 N}\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1}\n"
     "forces: {f: {type: force, markers: [rod], force: [k, 0]}}\n"
     "events: {e: {when: DX(rod), set: {k: 2 m}}}\n",
     "m.yaml:6:38: event \"e\": set: \"2 m\" is a length (m), the parameter was a force (N)\n"},
    {"event: sets what a number needs",
     "trammel: 1\n"
     "parameters: {k: 1}\n"
     "bodies:\n"
     "  rod: {type: planar, mass: k, inertia: 1}\n"
     "events: {e: {when: DX(rod), set: {k: 2}}}\n",
     "m.yaml:4:29: body \"rod\": mass: \"k\" is set by event \"e\" while the model runs: only laws can follow it\n"},
    {"event: sets what another parameter is made of",
     "trammel: 1\n"
     "parameters: {k: 1, l: 2*k}\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1}\n"
     "events: {e: {when: DX(rod), set: {k: 2}}}\n",
     "m.yaml:2:23: parameter \"l\": \"k\" is set by event \"e\" while the model runs: only laws can follow it\n"},
    {"event: sets what a law of time uses",
     "trammel: 1\n"
     "parameters: {k: 1}\n"
     "bodies:\n"
     "  rod: {type: planar, mass: 1, inertia: 1}\n"
     "joints:\n"
     "  pin: {type: revolute, markers: [ground, rod]}\n"
     "  drive: {type: motion, joint: pin, position: k*time}\n"
     "events: {e: {when: DX(rod), set: {k: 2}}}\n",
     "m.yaml:7:47: joint \"drive\": position: \"k\" is set by an event: a law of time alone cannot follow it in \"k*time\"\n"},
    {"event: restitution of a velocity",
     ROD "events: {e: {when: VX(rod), direction: falling, restitution: 0.5}}\n",
     "m.yaml:4:20: event \"e\": restitution acts along the gradient of an expression of positions: no velocities, and something that moves\n"},
    {"event: restitution without direction",
     ROD "events: {e: {when: DX(rod), restitution: 0.5}}\n",
     "m.yaml:4:13: event \"e\": restitution needs a direction: falling where contact is where the expression is negative, else rising\n"},
    {"event: restitution above 1",
     ROD "events: {e: {when: DX(rod), direction: falling, restitution: 1.5}}\n",
     "m.yaml:4:62: event \"e\": restitution: must be between 0 and 1, is 1.5\n"},
    {"event: settle without restitution",
     ROD "joints: {pin: {type: revolute, markers: [ground, rod], active: no}}\n"
     "events: {e: {when: DX(rod), settle: pin, stop: yes}}\n",
     "m.yaml:5:13: event \"e\": \"settle\" and \"rest\" go with \"restitution\"\n"},
    {"event: touch must be a number",
     ROD "events: {e: {when: DX(rod), touch: time, stop: yes}}\n",
     "m.yaml:4:36: event \"e\": touch: must be a positive constant\n"},
    {"event: direction unknown",
     ROD "events: {e: {when: DX(rod), direction: up, stop: yes}}\n",
     "m.yaml:4:40: event \"e\": direction: unknown choice \"up\" (rising, falling or both)\n"},
    {"event: a list",
     ROD "events: [1]\n",
     "m.yaml:4:9: events: a map of \"name: {...}\" is expected\n"},
    {"event: set is no map",
     ROD "events: {e: {when: DX(rod), set: 3}}\n",
     "m.yaml:4:34: event \"e\": set: a map {parameter: value, ...} is expected\n"},
    {"joint: active of what kind",
     ROD "joints: {pin: {type: revolute, markers: [ground, rod], active: 3}}\n",
     "m.yaml:4:64: joint \"pin\": active: true or false is expected\n"},
    {"force: active",
     ROD "forces: {f: {type: force, markers: [rod], force: [1, 0], active: no}}\n",
     "m.yaml:4:58: force \"f\": unknown key \"active\" (known: type, markers, bodies, at, orientation, axis, joints, joint, force, frame)\n"},
    // clang-format on
