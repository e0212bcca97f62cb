"""Libraries that two services share."""
