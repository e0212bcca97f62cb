"""Read models of context `costs`."""
