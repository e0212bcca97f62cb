"""Read models of context `links`."""
