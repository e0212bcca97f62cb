"""Reads of context `accounts`."""
