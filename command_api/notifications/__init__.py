"""What members are told, in the app and by mail digest, and how they choose it."""
