"""Websites for sale: listings, their verification, offers, escrow, questions and saved searches."""
