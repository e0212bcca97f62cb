"""Imports of what happened before: access logs."""
