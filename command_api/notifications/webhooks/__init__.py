"""Webhooks: alerts sent, signed, to addresses of members."""
