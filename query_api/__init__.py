"""The read side: every GET under `/api`, answered from read models and rollups. Changes no data."""
