"""Imports of links from a CSV file: all lines or none, in one transaction."""
