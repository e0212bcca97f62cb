"""Reports by email: when they are due, what the services send each other about them, and the email itself."""
