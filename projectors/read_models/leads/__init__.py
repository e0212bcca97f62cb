"""Read models of context `leads`."""
