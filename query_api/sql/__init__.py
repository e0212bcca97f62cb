"""Analysts' own questions: `/api/platform/sql` and what belongs to it."""
