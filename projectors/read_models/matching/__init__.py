"""Read models of context `matching`."""
