"""Recurring jobs, each a function of `Settings`."""
