"""What happens on a website right now, pushed over Server-Sent Events."""
