"""Everything of one website as a zip: tables as CSV, settings as JSON."""
