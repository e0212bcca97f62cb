"""Read models of sites of the website builder."""
