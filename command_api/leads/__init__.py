"""Leads from people without an account: newsletter, early access and inquiries."""
