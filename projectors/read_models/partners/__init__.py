"""Read models of context `partners`."""
