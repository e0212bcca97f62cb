"""Adapters and mechanisms that every service builds on. Knows no feature."""
