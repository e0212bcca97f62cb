"""The analytics calls of a website, one file each with its SQL; their ranges, filters and definitions."""
