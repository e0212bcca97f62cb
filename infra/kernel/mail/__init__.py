"""The mail outbox, addresses of people without an account, and unsubscribe tokens."""
