"""The simulated machine as a YAML file describes it."""
