-- Stored responses belong to the command bus.
ALTER TABLE auth.idempotency SET SCHEMA kernel;
