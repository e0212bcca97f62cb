"""Formats and settings that a readonly user's or an analyst's request may name; all others are rejected.

Lists, not patterns: a format or setting of a newer engine is rejected until it was reviewed. The excluded ones open
a connection or a file (`AvroConfluent` and its schema registry, `Template`, `Protobuf`, `CapnProto`,
`format_schema`, `input_format_record_errors_file_path`), show secrets, or report how much was read.
"""

from __future__ import annotations

from typing import Final

from infra.domain.sql_access.functions import names
from infra.services.clickhouse_server.errors import Code, error

_STEMS: Final = (
    "TabSeparated TabSeparatedRaw TSV TSVRaw Raw CSV CustomSeparated RowBinary JSONCompactEachRow"
    " JSONCompactStringsEachRow LineAsString"
)
_BOTH: Final = (
    "JSON JSONCompact JSONColumns JSONColumnsWithMetadata JSONCompactColumns JSONEachRow JSONStringsEachRow"
    " JSONObjectEachRow JSONLines JSONL NDJSON BSONEachRow TSKV Native Parquet Arrow ArrowStream ORC Avro MsgPack"
    " Values RawBLOB"
)
_OUTPUT: Final = (
    "JSONStrings JSONCompactStrings PrettyJSONEachRow PrettyJSONLines PrettyNDJSON Pretty PrettyNoEscapes"
    " PrettyMonoBlock PrettyNoEscapesMonoBlock PrettyCompact PrettyCompactNoEscapes PrettyCompactMonoBlock"
    " PrettyCompactNoEscapesMonoBlock PrettySpace PrettySpaceNoEscapes PrettySpaceMonoBlock"
    " PrettySpaceNoEscapesMonoBlock Vertical XML Markdown MD SQLInsert Null"
)


_STEMMED: Final = names(" ".join(f"{stem} {stem}WithNames {stem}WithNamesAndTypes" for stem in _STEMS.split()))
INPUT_FORMATS: Final = _STEMMED | names(_BOTH)
OUTPUT_FORMATS: Final = INPUT_FORMATS | names(_OUTPUT)

SETTINGS: Final = names(
    "extremes join_use_nulls session_timezone max_threads max_block_size log_comment use_uncompressed_cache limit"
    " offset default_format "
    "bool_false_representation bool_true_representation "
    "date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands date_time_input_format "
    "date_time_output_format date_time_overflow_behavior format_binary_max_array_size "
    "format_binary_max_object_size format_binary_max_string_size format_csv_allow_double_quotes "
    "format_csv_allow_single_quotes format_csv_delimiter format_csv_null_representation "
    "format_custom_escaping_rule format_custom_field_delimiter format_custom_result_after_delimiter "
    "format_custom_result_before_delimiter format_custom_row_after_delimiter format_custom_row_before_delimiter "
    "format_custom_row_between_delimiter format_regexp format_regexp_escaping_rule format_regexp_skip_unmatched "
    "format_tsv_null_representation http_connection_timeout http_max_field_value_size http_receive_timeout "
    "http_response_buffer_size http_send_timeout http_wait_end_of_query input_format_allow_errors_num "
    "input_format_allow_errors_ratio input_format_arrow_allow_missing_columns "
    "input_format_arrow_case_insensitive_column_matching input_format_arrow_import_nested "
    "input_format_arrow_skip_columns_with_unsupported_types_in_schema_inference "
    "input_format_arrow_use_native_reader input_format_binary_decode_types_in_binary_format "
    "input_format_binary_max_type_complexity input_format_binary_read_json_as_string "
    "input_format_csv_allow_cr_end_of_line input_format_csv_allow_variable_number_of_columns "
    "input_format_csv_allow_whitespace_or_tab_as_delimiter input_format_csv_arrays_as_nested_csv "
    "input_format_csv_deserialize_separate_columns_into_tuple input_format_csv_detect_header "
    "input_format_csv_empty_as_default input_format_csv_enum_as_number "
    "input_format_csv_missing_nullable_as_empty_string input_format_csv_skip_first_lines "
    "input_format_csv_skip_trailing_empty_lines input_format_csv_trim_whitespaces "
    "input_format_csv_try_infer_numbers_from_strings input_format_csv_try_infer_strings_from_quoted_tuples "
    "input_format_csv_use_best_effort_in_schema_inference input_format_csv_use_default_on_bad_values "
    "input_format_custom_allow_variable_number_of_columns input_format_custom_detect_header "
    "input_format_custom_skip_trailing_empty_lines input_format_defaults_for_omitted_fields "
    "input_format_force_null_for_omitted_fields input_format_import_nested_json "
    "input_format_ipv4_default_on_conversion_error input_format_ipv6_default_on_conversion_error "
    "input_format_json_compact_allow_variable_number_of_columns "
    "input_format_json_defaults_for_missing_elements_in_named_tuple input_format_json_empty_as_default "
    "input_format_json_ignore_unknown_keys_in_named_tuple input_format_json_ignore_unnecessary_fields "
    "input_format_json_infer_array_of_dynamic_from_array_of_different_types "
    "input_format_json_infer_incomplete_types_as_strings input_format_json_map_as_array_of_tuples "
    "input_format_json_max_depth input_format_json_max_object_size "
    "input_format_json_max_string_column_growth_step input_format_json_named_tuples_as_objects "
    "input_format_json_read_arrays_as_strings input_format_json_read_bools_as_numbers "
    "input_format_json_read_bools_as_strings input_format_json_read_numbers_as_strings "
    "input_format_json_read_objects_as_strings input_format_json_throw_on_bad_escape_sequence "
    "input_format_json_try_infer_named_tuples_from_objects input_format_json_try_infer_numbers_from_strings "
    "input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects "
    "input_format_json_validate_types_from_metadata input_format_max_bytes_to_read_for_schema_inference "
    "input_format_max_rows_to_read_for_schema_inference input_format_msgpack_number_of_columns "
    "input_format_native_allow_types_conversion input_format_native_decode_types_in_binary_format "
    "input_format_null_as_default input_format_orc_allow_missing_columns "
    "input_format_orc_case_insensitive_column_matching input_format_orc_dictionary_as_low_cardinality "
    "input_format_orc_filter_push_down input_format_orc_import_nested input_format_orc_reader_time_zone_name "
    "input_format_orc_row_batch_size input_format_orc_skip_columns_with_unsupported_types_in_schema_inference "
    "input_format_orc_use_fast_decoder input_format_parallel_parsing input_format_parquet_allow_geoparquet_parser "
    "input_format_parquet_allow_missing_columns input_format_parquet_bloom_filter_push_down "
    "input_format_parquet_case_insensitive_column_matching input_format_parquet_dictionary_filter_push_down "
    "input_format_parquet_enable_json_parsing input_format_parquet_enable_row_group_prefetch "
    "input_format_parquet_filter_push_down input_format_parquet_import_nested "
    "input_format_parquet_local_file_min_bytes_for_seek input_format_parquet_local_time_as_utc "
    "input_format_parquet_max_block_size input_format_parquet_memory_high_watermark "
    "input_format_parquet_memory_low_watermark input_format_parquet_page_filter_push_down "
    "input_format_parquet_prefer_block_bytes input_format_parquet_preserve_order "
    "input_format_parquet_skip_columns_with_unsupported_types_in_schema_inference "
    "input_format_parquet_spatial_filter_push_down input_format_parquet_use_native_reader "
    "input_format_parquet_use_native_reader_v3 input_format_parquet_use_offset_index "
    "input_format_parquet_verify_checksums input_format_skip_unknown_fields input_format_try_infer_dates "
    "input_format_try_infer_datetimes input_format_try_infer_datetimes_only_datetime64 "
    "input_format_try_infer_exponent_floats input_format_try_infer_integers input_format_try_infer_variants "
    "input_format_tsv_allow_variable_number_of_columns input_format_tsv_crlf_end_of_line "
    "input_format_tsv_detect_header input_format_tsv_empty_as_default input_format_tsv_enum_as_number "
    "input_format_tsv_skip_first_lines input_format_tsv_skip_trailing_empty_lines "
    "input_format_tsv_use_best_effort_in_schema_inference input_format_values_accurate_types_of_literals "
    "input_format_values_deduce_templates_of_expressions input_format_values_interpret_expressions "
    "input_format_with_names_use_header input_format_with_types_use_header interval_output_format "
    "low_cardinality_allow_in_native_format output_format_always_write_decimal_point_in_float_and_decimal "
    "output_format_arrow_compression_method output_format_arrow_date_as_uint16 "
    "output_format_arrow_fixed_string_as_fixed_byte_array output_format_arrow_low_cardinality_as_dictionary "
    "output_format_arrow_parallel_encoding output_format_arrow_record_batch_size "
    "output_format_arrow_record_batch_size_bytes output_format_arrow_string_as_string "
    "output_format_arrow_unsupported_types_as_binary output_format_arrow_use_64_bit_indexes_for_dictionary "
    "output_format_arrow_use_native_writer output_format_arrow_use_signed_indexes_for_dictionary "
    "output_format_arrow_uuid_as_fixed_byte_array output_format_arrow_variant_as_string "
    "output_format_binary_encode_types_in_binary_format output_format_binary_write_json_as_string "
    "output_format_bson_string_as_string output_format_compression_level "
    "output_format_compression_zstd_window_log output_format_csv_crlf_end_of_line "
    "output_format_csv_header_serialize_tuple_into_separate_columns "
    "output_format_csv_serialize_tuple_into_separate_columns output_format_decimal_trailing_zeros "
    "output_format_float_precision output_format_json_array_of_rows output_format_json_escape_forward_slashes "
    "output_format_json_map_as_array_of_tuples output_format_json_named_tuples_as_objects "
    "output_format_json_pretty_print output_format_json_quote_64bit_floats "
    "output_format_json_quote_64bit_integers output_format_json_quote_decimals output_format_json_quote_denormals "
    "output_format_json_skip_null_value_in_named_tuples output_format_json_validate_utf8 "
    "output_format_markdown_escape_special_characters output_format_msgpack_uuid_representation "
    "output_format_native_encode_types_in_binary_format "
    "output_format_native_use_flattened_dynamic_and_json_serialization output_format_native_write_json_as_string "
    "output_format_orc_compression_block_size output_format_orc_compression_method "
    "output_format_orc_dictionary_key_size_threshold output_format_orc_row_index_stride "
    "output_format_orc_string_as_string output_format_orc_writer_time_zone_name output_format_parallel_formatting "
    "output_format_parquet_batch_size output_format_parquet_bloom_filter_bits_per_value "
    "output_format_parquet_bloom_filter_flush_threshold_bytes output_format_parquet_compliant_nested_types "
    "output_format_parquet_compression_method output_format_parquet_data_page_size "
    "output_format_parquet_date_as_uint16 output_format_parquet_datetime_as_uint32 "
    "output_format_parquet_enum_as_byte_array output_format_parquet_fixed_string_as_fixed_byte_array "
    "output_format_parquet_geometadata output_format_parquet_max_dictionary_size "
    "output_format_parquet_parallel_encoding output_format_parquet_row_group_size "
    "output_format_parquet_row_group_size_bytes output_format_parquet_string_as_string "
    "output_format_parquet_unsupported_types_as_binary output_format_parquet_use_custom_encoder "
    "output_format_parquet_version output_format_parquet_wide_integer_as_decimal "
    "output_format_parquet_write_bloom_filter output_format_parquet_write_checksums "
    "output_format_parquet_write_page_index output_format_pretty_color "
    "output_format_pretty_display_footer_column_names output_format_pretty_display_footer_column_names_min_rows "
    "output_format_pretty_fallback_to_vertical output_format_pretty_fallback_to_vertical_max_rows_per_chunk "
    "output_format_pretty_fallback_to_vertical_min_columns "
    "output_format_pretty_fallback_to_vertical_min_table_width output_format_pretty_glue_chunks "
    "output_format_pretty_grid_charset output_format_pretty_highlight_digit_groups "
    "output_format_pretty_highlight_trailing_spaces output_format_pretty_max_column_name_width_cut_to "
    "output_format_pretty_max_column_name_width_min_chars_to_cut output_format_pretty_max_column_pad_width "
    "output_format_pretty_max_rows output_format_pretty_max_value_width "
    "output_format_pretty_max_value_width_apply_for_single_value output_format_pretty_multiline_fields "
    "output_format_pretty_named_tuples_as_json output_format_pretty_row_numbers "
    "output_format_pretty_single_large_number_tip_threshold output_format_pretty_squash_consecutive_ms "
    "output_format_pretty_squash_max_wait_ms output_format_pretty_use_nbsp_for_padding "
    "output_format_sql_insert_include_column_names output_format_sql_insert_max_batch_size "
    "output_format_sql_insert_quote_names output_format_sql_insert_table_name "
    "output_format_sql_insert_use_replace output_format_trim_fixed_string output_format_tsv_crlf_end_of_line "
    "output_format_values_escape_quote_with_quote output_format_write_statistics "
)


IGNORED: Final = names(
    # How the client and the server, or the servers of a cluster, speak with each other.
    "network_compression_method network_zstd_compression_level connect_timeout connect_timeout_with_failover_ms "
    "receive_timeout send_timeout tcp_keep_alive_timeout idle_connection_timeout poll_interval keep_alive_timeout "
    "send_logs_level load_balancing prefer_localhost_replica distributed_product_mode select_sequential_consistency "
    "enable_parallel_replicas allow_experimental_parallel_reading_from_replicas max_parallel_replicas "
    "skip_unavailable_shards fallback_to_stale_replicas_for_distributed_queries "
    "max_replica_delay_for_distributed_queries use_hedged_requests async_query_sending_for_remote "
    # How rows are inserted and tables changed.
    "async_insert wait_for_async_insert async_insert_busy_timeout_ms async_insert_deduplicate insert_quorum "
    "insert_quorum_parallel insert_deduplicate insert_deduplication_token insert_distributed_sync "
    "distributed_foreground_insert max_insert_block_size min_insert_block_size_rows min_insert_block_size_bytes "
    "max_insert_threads max_partitions_per_insert_block optimize_on_insert mutations_sync alter_sync "
    "replication_alter_partitions_sync lightweight_deletes_sync database_replicated_enforce_synchronous_settings "
    # What the server records and reports, and how soon.
    "log_queries log_query_settings log_query_threads log_profile_events log_processors_profiles log_formatted_queries "
    "priority workload opentelemetry_start_trace_probability interactive_delay "
    "use_query_cache enable_writes_to_query_cache enable_reads_from_query_cache query_cache_ttl"
)
"""Settings that programs always send, and that change nothing in what a readonly user's statement returns: they are
accepted and not applied."""


def check_format(name: str, allowed: frozenset[str]) -> None:
    """Raises `ClickHouseError` 497 for a format that is not on the list."""
    if name.lower() not in allowed:
        raise error(Code.ACCESS_DENIED, f"Not enough privileges: the format {name[:40]} is not available here")
