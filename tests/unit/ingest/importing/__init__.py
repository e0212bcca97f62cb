"""Tests of `ingest.importing`."""
