"""Websites: settings, keys, claim limits and traffic rules of a publisher's property."""
