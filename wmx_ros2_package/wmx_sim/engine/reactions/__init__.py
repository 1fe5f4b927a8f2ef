"""What the simulated engine does by itself when an input changes or an axis passes a place."""
