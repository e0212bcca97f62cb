"""Connections to networks' APIs: their credentials, and the pulls of reports by schedule and by hand."""
