"""Changes of many links at once: one thing with progress, an outcome for each link, a way to stop and to undo it."""
