"""Notifications of members, in the app and by mail digest, and their preferences."""
