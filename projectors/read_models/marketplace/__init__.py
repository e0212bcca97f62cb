"""Read models of context `marketplace`."""
