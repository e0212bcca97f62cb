"""Checks of the engines that the settings or the running stack name: one module an engine."""
