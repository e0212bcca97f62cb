"""Read models of context `analytics`."""
