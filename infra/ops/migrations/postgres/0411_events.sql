-- Schema `events`: the event store. Its tables are made by `command_api.kernel.event_store`.
CREATE SCHEMA events;
