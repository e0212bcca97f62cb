"""Reads networks' report files: bytes -> `reports.inspect` -> layout -> `reports.read` -> rows. No HTTP."""
