"""Runs projections: workers, positions, dead letters, generations, rebuilds and comparisons. Knows no feature."""
