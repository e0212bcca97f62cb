"""Separate processes for slow work on what users send: bounded in number, processor time, memory and duration."""
