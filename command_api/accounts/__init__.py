"""Accounts: registration, sign-in, second factor, sessions, invites and erasure."""
