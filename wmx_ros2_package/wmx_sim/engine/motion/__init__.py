"""The axes of the simulated engine: what they are commanded, and where they are at any time.

A command goes down: `axes` (several axes), `axis` (one; refused by `rules` and `limits`). It is
planned first: `shaped_move`, `straight_line` or `spline_move` (the kind of motion), `planner` and
`ramps` (phases in whole cycles), `profile` (polynomials). Then it is followed: `axis_motion` (what
is due when), `profile_player` (one polynomial after the other), `drive` and `servo` (how the motor
follows), `curve` (the form of all that moves).
A status comes up: `shared_state` (coefficients of all axes), `status_reading` (the values of all
axes at a time), `history` and `course` (at many cycles, for recorders).
"""
