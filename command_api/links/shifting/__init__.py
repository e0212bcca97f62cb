"""Weights of splits that follow their results."""
