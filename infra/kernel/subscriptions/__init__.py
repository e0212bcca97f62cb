"""Subscriptions: positions, dead letters and limits of everything that reads the log.

Three kinds of subscribers share them: projections (`projectors.engine`), policies and event handlers
(`command_api`). A subscriber without generations has generation 0.
"""
