"""Reported conversions: presets of networks, amounts, and what was reported before."""
