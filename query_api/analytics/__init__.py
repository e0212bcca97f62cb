"""What happened on a website: the analytics calls, one file each with its SQL; their ranges, filters, definitions."""
