"""Builds the tables that the read side queries from the topics of the log."""
