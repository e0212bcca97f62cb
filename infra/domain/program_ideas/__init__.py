"""Niches and business ideas for a member: a catalogue of niches, their scores, expected earnings and content plans."""
