"""Read models of context `domains`."""
