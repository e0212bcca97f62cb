"""Read models of context `operations`."""
