"""One simulated engine for several processes: its process, its socket, its mapped status."""
