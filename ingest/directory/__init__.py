"""The websites, keys, links and partners that ingest needs, held in memory and refreshed from Postgres."""
