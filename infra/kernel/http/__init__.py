"""The parts that every HTTP service shares: server, request limits, problem documents, health, client addresses."""
