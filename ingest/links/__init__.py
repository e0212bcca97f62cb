"""Where a followed link leads."""
