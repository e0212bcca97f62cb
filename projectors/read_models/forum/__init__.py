"""Read models of context `forum`."""
