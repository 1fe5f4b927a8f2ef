"""A robot of one's own: what `wmx robot new` makes of a URDF and of what is known of its motors."""
