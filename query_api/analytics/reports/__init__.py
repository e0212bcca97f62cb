"""Reports by email as they are planned, and the content of each."""
