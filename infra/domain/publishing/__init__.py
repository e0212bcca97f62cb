"""Sites: documents of the website builder, their themes, starters, and the static files made from them. Pure."""
