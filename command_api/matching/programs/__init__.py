"""The program directory, which admins keep."""
