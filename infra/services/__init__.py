"""The services that hold no context of their own: gateway and ClickHouse server."""
