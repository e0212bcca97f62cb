"""Reports by email: when each is due, what it shows, and how it is sent."""
