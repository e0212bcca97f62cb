"""Costs of ads and content: what traffic cost."""
