"""Fixtures that every test may ask for; each starts only when it is asked for."""

from hypothesis import HealthCheck, settings

from tests.support.pools import watch_pools
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

# No example is timed: a busy machine is no fault of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
watch_pools()
