"""The three engines as child processes: Postgres, Kafka, ClickHouse. Each module gives the process's specification."""
