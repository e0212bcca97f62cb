"""Read models of context `social`."""
