"""Whether programs for the vendor's SDK move as they did on the real engine."""
