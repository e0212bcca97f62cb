"""Connections of channels to their networks, whose figures are fetched daily."""
