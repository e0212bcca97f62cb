"""Alerts: what checks of a website find, opened once a cause and mailed."""
