"""Builds the visits of whole days: events -> `event_days` -> this -> `visit_events`, `breakdown` -> reports."""
