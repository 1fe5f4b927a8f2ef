"""What clients have set of the axes: it outlives the engine, and what is lost of it blocks motion.

`kept` changes settings, and records them in the `document`, which all processes share by the
`store`. `restorer` puts them in force on a new engine, whose parameters `comparison` compares.
"""
