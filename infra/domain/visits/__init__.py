"""Visits: what one visitor did on a website without a break. One definition for projectors, reports, attribution.

events -> `statement` (SQL) -> rows with their visits -> tables of whole days (`projectors.visits`) -> reports.
"""
