"""Read models of context `notifications`."""
