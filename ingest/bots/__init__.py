"""Whether a machine made a request: browsers, crawlers, data centres."""
