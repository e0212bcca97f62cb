"""Rows that the command service writes beside its events, in their transaction, against the event store.

Each module of this package says of some tables what follows from events, by a fold of its own
(`infra.ops.audit.beside_events.fold`); `comparison` reads the events once for all of them and compares every row.
"""
