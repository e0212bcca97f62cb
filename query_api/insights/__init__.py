"""Insights of a website as they hold now, and how an account receives new ones."""
