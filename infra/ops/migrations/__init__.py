"""Schema migrations: numbered SQL files, each applied once, forward only."""
