"""Ideas for content that earns from a program."""
