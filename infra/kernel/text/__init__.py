"""Markdown and checks of text."""
