"""The vocabulary: what happened (`schemas.events`), where it is kept (`schemas.topics`), and how it is wrapped.

Imports nothing of ours. Every service decodes with this code, so an event means the same everywhere.
"""
