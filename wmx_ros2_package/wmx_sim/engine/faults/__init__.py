"""Faults of the simulated machine: each by name, and scripts of them."""
