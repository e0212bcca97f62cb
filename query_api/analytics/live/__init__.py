"""The live dashboard: one snapshot a website, sent to all that watch it."""
