"""Jinja templates: the page, and one for each type of block."""
