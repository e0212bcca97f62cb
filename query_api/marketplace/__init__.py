"""The marketplace, reading: listings, offers, escrows, questions and saved searches."""
