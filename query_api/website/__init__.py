"""What a website token opens: one website and its figures, nothing of the platform."""
