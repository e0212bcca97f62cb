"""Read models of context `websites`."""
