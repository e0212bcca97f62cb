"""Social channels of websites, and the tracked links that belong to them."""
