"""Read models of context `destinations`."""
