-- Tokens, statements and saved queries of analysts have a schema of their own.
CREATE SCHEMA sql;
GRANT USAGE ON SCHEMA sql TO query_reader;
ALTER TABLE auth.sql_token RENAME TO token;
ALTER TABLE auth.token SET SCHEMA sql;
ALTER TABLE ops.sql_statement RENAME TO statement;
ALTER TABLE ops.statement SET SCHEMA sql;
ALTER TABLE ops.saved_query SET SCHEMA sql;
