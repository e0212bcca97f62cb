"""The vocabulary: what happened (`schemas.events`), where it is kept (`schemas.topics`), and how it is wrapped.

Imports no other package of Althing. Every service decodes with this code, so an event means the same everywhere.
"""
