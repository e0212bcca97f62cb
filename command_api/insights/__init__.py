"""Insights: changes in a website's figures, found by statistics, worded, stored and mailed."""
