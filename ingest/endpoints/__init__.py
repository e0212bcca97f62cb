"""The HTTP endpoints of ingest, one module each."""
