"""The robots that are shipped, and what arms of all kinds have in common."""
