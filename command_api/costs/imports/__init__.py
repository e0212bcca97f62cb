"""Imports of costs: files of ad platforms, previewed, applied and undone as a whole."""
