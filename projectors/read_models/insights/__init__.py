"""Read models of context `insights`."""
