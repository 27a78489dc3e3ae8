// SPDX-License-Identifier: Apache-2.0
// One line per element, in the order `trammel list` shows.
BODY(tr_body_planar)
BODY(tr_body_spatial)
BODY(tr_body_planar_point)
BODY(tr_body_spatial_point)
JOINT(tr_joint_revolute)
JOINT(tr_joint_prismatic)
JOINT(tr_joint_fixed)
JOINT(tr_joint_spherical)
JOINT(tr_joint_distance)
JOINT(tr_joint_point_on_line)
FORCE(tr_force_spring_damper)
FORCE(tr_force_torsion_spring)
