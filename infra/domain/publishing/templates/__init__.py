"""Starters, one JSON file for each niche of the marketplace; read by `infra.domain.publishing.starters`."""
