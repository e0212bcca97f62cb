"""Settings: their definitions, parsers and documentation."""
