"""The engine's own configuration files: small caches, few background threads, durable inserts, no system logs.

`merge_selector_base` is 20 instead of 5: the engine counts every part as at least 5 MB, so that with 5 the months of a
rollup, which are smaller, were written again after every few inserts: 80,000 merged rows for an insert of 20.
"""

from __future__ import annotations

import os
from pathlib import Path

_SERVER = """<clickhouse> <logger><level>error</level><console>0</console></logger> <users_config>{users}</users_config>
<user_files_path>{files}/</user_files_path> <max_server_memory_usage>{memory}</max_server_memory_usage>
<mark_cache_size>67108864</mark_cache_size> <index_mark_cache_size>16777216</index_mark_cache_size>
<primary_index_cache_size>67108864</primary_index_cache_size> <uncompressed_cache_size>0</uncompressed_cache_size>
<index_uncompressed_cache_size>0</index_uncompressed_cache_size>
<query_condition_cache_size>16777216</query_condition_cache_size>
<compiled_expression_cache_size>16777216</compiled_expression_cache_size> <mmap_cache_size>64</mmap_cache_size>
<background_pool_size>2</background_pool_size>
<background_merges_mutations_concurrency_ratio>1</background_merges_mutations_concurrency_ratio>
<background_common_pool_size>2</background_common_pool_size>
<background_schedule_pool_size>4</background_schedule_pool_size> <merge_tree> <fsync_after_insert>1</fsync_after_insert>
<fsync_part_directory>1</fsync_part_directory> <merge_selector_base>20</merge_selector_base>
<number_of_free_entries_in_pool_to_execute_mutation>1</number_of_free_entries_in_pool_to_execute_mutation>
<number_of_free_entries_in_pool_to_lower_max_size_of_merge>1</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
<number_of_free_entries_in_pool_to_execute_optimize_entire_partition>1</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
</merge_tree> </clickhouse>
"""

_USERS = """<clickhouse>
  <profiles><default>
    <async_insert>0</async_insert>
    <deduplicate_blocks_in_dependent_materialized_views>1</deduplicate_blocks_in_dependent_materialized_views>
    <log_queries>0</log_queries>
    <max_threads>{threads}</max_threads>
    <max_memory_usage>{query_memory}</max_memory_usage>
    <max_bytes_before_external_group_by>{spill}</max_bytes_before_external_group_by>
    <max_bytes_before_external_sort>{spill}</max_bytes_before_external_sort>
    <max_execution_time>3600</max_execution_time>
  </default></profiles>
  <users><default><password></password><networks><ip>::/0</ip></networks>
    <profile>default</profile><quota>default</quota></default></users>
  <quotas><default/></quotas>
</clickhouse>
"""


def write(data_dir: Path, memory_bytes: int) -> Path:
    """Writes the engine's files beside its data and returns the one to open it with.

    The engine's single user has no password: only this process reaches it; the server authenticates clients.
    """
    directory = data_dir.absolute() / "config"
    files = data_dir.absolute() / "user_files"
    directory.mkdir(parents=True, exist_ok=True)
    files.mkdir(exist_ok=True)
    threads = max(2, min(os.cpu_count() or 2, 16))
    users, server = directory / "users.xml", directory / "config.xml"
    users.write_text(_USERS.format(threads=threads, query_memory=memory_bytes * 3 // 4, spill=memory_bytes // 4))
    server.write_text(_SERVER.format(users=users, files=files, memory=memory_bytes))
    return server
