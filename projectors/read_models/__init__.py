"""Read models: one module per Postgres table, with a handler for each event that changes it."""
