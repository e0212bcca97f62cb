"""Read models of context `accounts`."""
