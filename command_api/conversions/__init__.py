"""Conversions: reports merged into one state, its decisions, and the commission that they earn."""
