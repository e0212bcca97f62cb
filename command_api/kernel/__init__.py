"""The write side's mechanisms: command bus, event store, outbox relay, leader election, audit log. Knows no context."""
