"""`system` and `information_schema` as an analyst's programs read them: the documented tables, and nothing else.

They have the columns that drivers read, as ClickHouse names them. A column that Althing says nothing about has the
default of its type, and a table without rows (`system.parts`, ...) is one that programs read and that shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from infra.domain.sql_access import functions
from infra.domain.sql_access.literals import text
from infra.domain.sql_access.tables import DATABASE, SCHEMA, AnalystColumn, AnalystView, columns_of

Rows = Iterable[Sequence[Any]]


def find(database: str, name: str) -> AnalystView | None:
    """The table of this name, in any case."""
    return _TABLES.get((database.lower(), name.lower()))


def select(view: AnalystView) -> str:
    """SQL for the rows of such a table."""
    names, rows = _ROWS.get((view.database, view.name), ((), list))
    return _select(view.columns, names, list(rows()))


def create_statement(view: AnalystView) -> str:
    """Returns what SHOW CREATE TABLE returns: the columns, without what is behind them."""
    columns = ",\n".join(f"    `{one.name}` {one.type} COMMENT {text(one.comment)}" for one in view.columns)
    return f"CREATE VIEW {view.database}.{view.name}\n(\n{columns}\n)\nCOMMENT {text(view.comment)}"


def _select(columns: Sequence[AnalystColumn], known: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    types = {column.name.lower(): column.type for column in columns}
    chosen = ", ".join(
        f"{column.name.lower()} AS {column.name}"
        if rows and column.name.lower() in known
        else f"CAST(defaultValueOfTypeName({text(column.type)}) AS {column.type}) AS {column.name}"
        for column in columns
    )
    if not rows:
        return f"SELECT {chosen} WHERE 0"
    structure = ", ".join(f"{name} {types[name]}" for name in known)
    values = ", ".join(f"({', '.join(_literal(value) for value in row)})" for row in rows)
    return f"SELECT {chosen} FROM values({text(structure)}, {values})"  # noqa: S608 - literals only


def _literal(value: Any) -> str:
    return str(value) if isinstance(value, int) else text(str(value))


def _table(database: str, name: str, columns: str, source: str = "") -> AnalystView:
    return AnalystView(name, "", columns_of("\n".join(f"{line} ." for line in columns.split(";"))), source, database)


def _standard(name: str, columns: str) -> AnalystView:
    """A table of `information_schema`: each column also in capitals, as in ClickHouse."""
    return _table("information_schema", name, ";".join((columns, *map(_capital, columns.split(";")))))


def _capital(column: str) -> str:
    name, _, type_ = column.partition(" ")
    return f"{name.upper()} {type_}"


_CONSTRAINT: Final = "constraint_catalog String;constraint_schema String;constraint_name Nullable(String)"
_OF_TABLE: Final = "table_catalog String;table_schema String;table_name String"
_ABOUT: Final = "description String;syntax String;examples String;introduced_in String;related Array(String)"
_PUBLIC: Final = ("time_zones:time_zone", "keywords:keyword")
"""Tables of the engine that say the same to everybody, with their one column."""

_TABLES: Final[Mapping[tuple[str, str], AnalystView]] = {
    (view.database, view.name): view
    for view in (
        _table(
            "system",
            "databases",
            "name String;engine String;data_path String;metadata_path String;uuid UUID;engine_full String;"
            "comment String;is_external UInt8;database String",
        ),
        _table(
            "system",
            "tables",
            "database String;name String;uuid UUID;engine String;is_temporary UInt8;data_paths Array(String);"
            "metadata_path String;metadata_modification_time DateTime;metadata_version Int32;"
            "dependencies_database Array(String);dependencies_table Array(String);create_table_query String;"
            "engine_full String;as_select String;partition_key String;sorting_key String;primary_key String;"
            "sampling_key String;skipping_indices_types Array(String);storage_policy String;"
            "total_rows Nullable(UInt64);total_bytes Nullable(UInt64);total_bytes_uncompressed Nullable(UInt64);"
            "parts Nullable(UInt64);active_parts Nullable(UInt64);total_marks Nullable(UInt64);"
            "lifetime_rows Nullable(UInt64);lifetime_bytes Nullable(UInt64);comment String;"
            "has_own_data UInt8;loading_dependencies_database Array(String);"
            "loading_dependencies_table Array(String);loading_dependent_database Array(String);"
            "loading_dependent_table Array(String);table String",
        ),
        _table(
            "system",
            "columns",
            "database String;table String;name String;type String;position UInt64;default_kind String;"
            "default_expression String;data_compressed_bytes UInt64;data_uncompressed_bytes UInt64;"
            "marks_bytes UInt64;comment String;is_in_partition_key UInt8;is_in_sorting_key UInt8;"
            "is_in_primary_key UInt8;is_in_sampling_key UInt8;compression_codec String;"
            "character_octet_length Nullable(UInt64);numeric_precision Nullable(UInt64);"
            "numeric_precision_radix Nullable(UInt64);numeric_scale Nullable(UInt64);"
            "datetime_precision Nullable(UInt64);serialization_hint Nullable(String);column String",
        ),
        _table(
            "system",
            "functions",
            "name String;is_aggregate UInt8;is_deterministic Nullable(UInt8);case_insensitive UInt8;alias_to String;"
            "create_query String;origin String;description String;syntax String;arguments String;parameters String;"
            "returned_value String;examples String;introduced_in String;categories String",
        ),
        _table(
            "system",
            "settings",
            "name String;value String;changed UInt8;description String;min Nullable(String);max Nullable(String);"
            "disallowed_values Array(String);readonly UInt8;type String;default String;alias_for String;"
            "is_obsolete UInt8;tier String",
            "SELECT name, if(name IN ('log_comment', 'additional_table_filters'), '', value) AS value, changed,"
            " description, CAST(NULL AS Nullable(String)) AS min, CAST(NULL AS Nullable(String)) AS max,"
            " CAST([] AS Array(String)) AS disallowed_values, 1 AS readonly, type,"
            " if(name = 'log_comment', '', default) AS default, alias_for, is_obsolete, toString(tier) AS tier"
            " FROM system.settings",
        ),
        _table("system", "one", "dummy UInt8", "SELECT 0 AS dummy"),
        _table(
            "system",
            "data_type_families",
            f"name String;case_insensitive UInt8;alias_to String;{_ABOUT}",
            "SELECT name, case_insensitive, alias_to, '' AS description, '' AS syntax, '' AS examples,"
            " '' AS introduced_in, CAST([] AS Array(String)) AS related FROM system.data_type_families",
        ),
        *(
            _table("system", name, f"{column} String", f"SELECT {column} FROM system.{name}")  # noqa: S608 - own text
            for name, _, column in (one.partition(":") for one in _PUBLIC)
        ),
        _table("system", "table_engines", f"name String;supports_settings UInt8;{_ABOUT}"),
        _table("system", "table_functions", "name String;description String;allow_readonly UInt8"),
        _table("system", "build_options", "name String;value String"),
        _table("system", "macros", "macro String;substitution String"),
        _table(
            "system",
            "dictionaries",
            "database String;name String;uuid UUID;status String;origin String;type String;element_count UInt64;"
            "bytes_allocated UInt64;source String;comment String",
        ),
        _table(
            "system",
            "clusters",
            "cluster String;shard_num UInt32;shard_name String;shard_weight UInt32;replica_num UInt32;"
            "host_name String;host_address String;port UInt16;is_local UInt8;user String;default_database String",
        ),
        _table(
            "system",
            "parts",
            "partition String;name String;part_type String;active UInt8;marks UInt64;rows UInt64;"
            "bytes_on_disk UInt64;data_compressed_bytes UInt64;data_uncompressed_bytes UInt64;"
            "modification_time DateTime;database String;table String;engine String;disk_name String",
        ),
        _table(
            "system",
            "data_skipping_indices",
            "database String;table String;name String;type String;type_full String;expr String;granularity UInt64;"
            "data_compressed_bytes UInt64;data_uncompressed_bytes UInt64;marks_bytes UInt64",
        ),
        _table(
            "system",
            "projections",
            "database String;table String;name String;type String;sorting_key Array(String);query String",
        ),
        _standard(
            "schemata",
            "catalog_name String;schema_name String;schema_owner String;"
            "default_character_set_catalog Nullable(String);default_character_set_schema Nullable(String);"
            "default_character_set_name Nullable(String);sql_path Nullable(String)",
        ),
        _standard(
            "tables",
            f"{_OF_TABLE};table_type String;table_rows Nullable(UInt64);data_length Nullable(UInt64);"
            "index_length Nullable(UInt64);table_collation Nullable(String);table_comment String",
        ),
        _standard(
            "views",
            f"{_OF_TABLE};view_definition String;check_option String;is_updatable String;is_insertable_into String",
        ),
        _standard(
            "columns",
            f"{_OF_TABLE};column_name String;ordinal_position UInt64;column_default String;is_nullable String;"
            "data_type String;character_maximum_length Nullable(UInt64);character_octet_length Nullable(UInt64);"
            "numeric_precision Nullable(UInt64);numeric_precision_radix Nullable(UInt64);"
            "numeric_scale Nullable(UInt64);datetime_precision Nullable(UInt64);"
            "character_set_name Nullable(String);collation_name Nullable(String);domain_name Nullable(String);"
            "extra Nullable(String);column_comment String;column_type String",
        ),
        _standard(
            "key_column_usage",
            f"{_CONSTRAINT};{_OF_TABLE};column_name Nullable(String);ordinal_position UInt32;"
            "position_in_unique_constraint Nullable(UInt32);referenced_table_schema Nullable(String);"
            "referenced_table_name Nullable(String);referenced_column_name Nullable(String)",
        ),
        _standard("table_constraints", f"{_CONSTRAINT};{_OF_TABLE};constraint_type String"),
        _standard(
            "referential_constraints",
            f"{_CONSTRAINT};unique_constraint_catalog String;unique_constraint_schema String;"
            "unique_constraint_name Nullable(String);match_option String;update_rule String;delete_rule String;"
            "table_name String;referenced_table_name String",
        ),
        _standard(
            "statistics",
            f"{_OF_TABLE};non_unique Int32;index_schema String;index_name Nullable(String);seq_in_index UInt32;"
            "column_name Nullable(String);index_type String",
        ),
    )
}


def _views() -> list[AnalystView]:
    return list(SCHEMA.values())


def _columns() -> list[tuple[AnalystView, int, AnalystColumn]]:
    return [(view, place, column) for view in _views() for place, column in enumerate(view.columns, 1)]


_ROWS: Final[Mapping[tuple[str, str], tuple[Sequence[str], Callable[[], Rows]]]] = {
    ("system", "databases"): (
        ("name", "engine", "database", "engine_full"),
        lambda: [(DATABASE, "Atomic", DATABASE, "Atomic")],
    ),
    ("system", "tables"): (
        ("database", "name", "table", "engine", "comment", "create_table_query"),
        lambda: [(DATABASE, one.name, one.name, "View", one.comment, create_statement(one)) for one in _views()],
    ),
    ("system", "columns"): (
        ("database", "table", "name", "column", "type", "position", "comment"),
        lambda: [
            (DATABASE, view.name, one.name, one.name, one.type, place, one.comment) for view, place, one in _columns()
        ],
    ),
    ("system", "functions"): (
        ("name", "is_aggregate", "origin"),
        lambda: [(name, int(name.lower() in functions.AGGREGATES), "System") for name in functions.SPELLED],
    ),
    ("information_schema", "schemata"): (
        ("catalog_name", "schema_name", "schema_owner"),
        lambda: [(DATABASE, DATABASE, DATABASE)],
    ),
    ("information_schema", "tables"): (
        ("table_catalog", "table_schema", "table_name", "table_type", "table_comment"),
        lambda: [(DATABASE, DATABASE, one.name, "VIEW", one.comment) for one in _views()],
    ),
    ("information_schema", "views"): (
        ("table_catalog", "table_schema", "table_name", "check_option", "is_updatable", "is_insertable_into"),
        lambda: [(DATABASE, DATABASE, one.name, "NONE", "NO", "NO") for one in _views()],
    ),
    ("information_schema", "columns"): (
        (
            *("table_catalog", "table_schema", "table_name", "column_name", "ordinal_position", "is_nullable"),
            *("data_type", "column_type", "column_comment"),
        ),
        lambda: [
            (DATABASE, DATABASE, view.name, one.name, place, "NO", one.type, one.type, one.comment)
            for view, place, one in _columns()
        ],
    ),
}
