"""Exchange rates: recorded, imported, and those of the European Central Bank."""
