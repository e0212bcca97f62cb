"""Random histories through the public interfaces, compared with books of their own: `make oracle` runs many."""
