"""Context `publishing`: sites of the website builder."""
