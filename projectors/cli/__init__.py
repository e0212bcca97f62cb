"""The commands of `althing projections`, `dlq`, `events` and `lag`: each a function from arguments to an exit code."""
