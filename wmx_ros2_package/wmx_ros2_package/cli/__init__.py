"""What people type: the programs of the package besides the nodes."""
