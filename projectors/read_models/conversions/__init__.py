"""Read models of context `conversions`."""
