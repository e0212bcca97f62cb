-- Schema `lookup`: inline projections, made and built again from the event store by `althing migrate`.
CREATE SCHEMA lookup;
GRANT USAGE ON SCHEMA lookup TO query_reader;
