-- Its tables follow from events (schema `lookup`), are timeouts (`kernel`), or belong to a context.
DROP SCHEMA policy;
