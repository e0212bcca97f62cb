"""Erasure of a website's visitor, with everything that is stored of the person."""
