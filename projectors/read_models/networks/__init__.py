"""Read models of context `networks`."""
