"""`make soak`: the whole stack under steady load for half an hour, with a fault every minute, and the audit at the end.

`python -m tests.soak`; `SOAK_MINUTES` (30) says how long, `SOAK_RATE` (6) how many requests come in a second,
`SOAK_FAULT_EVERY_S` (60) how often something breaks, `CRASH_SEED` gives another run. A run of at least 30 minutes
writes its report to `docs/soak.md`, `docs/soak.json` and `docs/images/soak.svg`; a shorter one to `.build/soak`.
"""
