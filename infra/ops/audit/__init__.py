"""The parts of `althing audit`. Raw rows, rollups and money are computed independently of the projectors."""
