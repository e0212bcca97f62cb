"""`althing backup` and `althing restore`: everything that nothing else can make again, in one directory, and back.

taking -> a directory (`manifest`, `postgres.dump`, `log/…`) -> restoring; `drill` proves that one leads to the other.
What a backup contains, what it omits, and why: `docs/decisions/0014-backups-contain-the-source-of-truth.md`.
"""


class BackupError(Exception):
    """A backup or a restore cannot be done; one sentence says why, and what to do."""
