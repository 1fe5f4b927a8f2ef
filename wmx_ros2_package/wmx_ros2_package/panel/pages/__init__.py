"""The pages of the panel, one file each: `build(frame)` makes its elements."""
