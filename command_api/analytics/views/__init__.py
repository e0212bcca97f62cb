"""Saved views, segments and the views that a website opens with."""
