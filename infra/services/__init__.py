"""The services that hold no context of their own: gateway, scheduler and ClickHouse server."""
