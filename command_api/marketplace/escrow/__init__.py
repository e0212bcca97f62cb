"""Escrows: the money of a deal, held by a provider."""
