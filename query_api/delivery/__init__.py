"""\"Where did my event go\": what became of everything that was sent for a website."""
