"""The axes of the simulated engine: what they are commanded, and where they are at any time.

A command goes down: `axes` (several axes), `axis` (one, upon `axis_homing`, `axis_brake` and
`axis_motion`; refused by `rules` and `limits`). It is planned first: `shaped_move`, `straight_line`
or `spline_move` (the kind of motion), `planner` and `ramps` (phases in whole cycles), `profile`
(polynomials). Then it is followed: `axis_motion` (what is due when), `profile_player` (one
polynomial after the other), `drive` and `servo` (how the motor follows), `curve` (the form of all
that moves). What is due later, the next polynomial or the end, is carried out by whichever call
comes next, mostly a read of the status.
A status comes up: `shared_state` (coefficients and flags of all axes, as they were written on the
way down), `status_reading` (the values of all axes at a time), `history` and `course` (at many
cycles, for recorders).
"""
