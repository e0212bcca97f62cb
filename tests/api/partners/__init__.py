"""Partners over HTTP."""
