"""Listings: websites for sale, their review, and the comparison with measurements."""
