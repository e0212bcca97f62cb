"""Limits of one analyst's statement, at every entry point."""

from __future__ import annotations

from typing import Final

RUNNING: Final = 3
"""Concurrent statements of one analyst, over both entry points and all processes."""

SECONDS: Final = 30
DELIVERED_S: Final = 120
"""After this long a result that is still being read is broken off: it holds a place that others wait for."""

ROWS_READ: Final = 1_000_000_000
MEMORY_BYTES: Final = 1 << 30
THREADS: Final = 2

RESULT_ROWS: Final = 1_000_000
"""Rows of a result that is streamed (CSV, NDJSON, Native, ...)."""

RESULT_BYTES: Final = 256 << 20
PAGE_ROWS: Final = 10_000
"""Rows of a JSON response by default, and `MAX_PAGE_ROWS` at most; a truncated response says so."""

MAX_PAGE_ROWS: Final = 100_000
TEXT_BYTES: Final = 50_000
TEXT_WORDS: Final = 5_000
"""Words and symbols of a statement: this many are parsed in well under a second of CPU time."""

TABLES: Final = 50
"""Times that a statement may name a table."""


ORDER: Final = {
    "optimize_move_to_prewhere": "0",
    "query_plan_optimize_prewhere": "0",
    "query_plan_merge_filters": "0",
}
"""ClickHouse evaluates an analyst's condition only after the row filter. Otherwise it would merge both and begin
with the cheaper one: a conversion that fails would then leak, by its error, values of other websites' rows."""

EXACT: Final = {"use_skip_indexes": "0"}
"""ClickHouse's index over each part's minimum and maximum time is wrong for `occurred_at < now()`: it rounds the
bound to whole seconds and skips a part with nothing but the second before (`schemas.instants`). Analysts'
statements may contain such comparisons, so they run without it; partitions and the primary key still prune."""


def settings() -> dict[str, str]:
    """ClickHouse's settings that enforce them; with `readonly` no statement can change any."""
    return {
        "max_execution_time": str(SECONDS),
        "timeout_overflow_mode": "throw",
        "max_rows_to_read": str(ROWS_READ),
        "read_overflow_mode": "throw",
        "max_result_rows": str(RESULT_ROWS),
        "max_result_bytes": str(RESULT_BYTES),
        "result_overflow_mode": "throw",
        "max_memory_usage": str(MEMORY_BYTES),
        "max_threads": str(THREADS),
        "max_query_size": str(16 << 20),
        "output_format_write_statistics": "0",
        **ORDER,
        **EXACT,
        "max_ast_elements": "1000000",
        "max_expanded_ast_elements": "2000000",
    }
