"""Fixtures that every test may ask for; each starts only when it is asked for."""

from tests.support.query import query_service, query_settings
from tests.support.stack import embedded_clickhouse, embedded_kafka, embedded_postgres, running_stack

__all__ = [
    "embedded_clickhouse",
    "embedded_kafka",
    "embedded_postgres",
    "query_service",
    "query_settings",
    "running_stack",
]
