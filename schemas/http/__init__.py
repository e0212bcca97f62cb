"""Response models that both APIs share, by context."""
