"""The read side's mechanisms: authorization, readers, pagination, read-your-writes, freshness."""
