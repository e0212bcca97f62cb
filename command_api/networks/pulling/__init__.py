"""Reports that are read from networks' APIs: one file of records per pull, in the network's own layout."""
