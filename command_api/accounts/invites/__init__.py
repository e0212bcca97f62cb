"""Invites: codes with which members bring others in."""
