"""What one website or address may ask of the service."""
