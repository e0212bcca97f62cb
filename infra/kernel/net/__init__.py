"""Outbound HTTP, DNS and the country of an address."""
