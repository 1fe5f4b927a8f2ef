"""One simulated engine for several processes: each calls it, or reads its status from memory."""
