"""Listings: websites for sale, their review, and the comparison of claims with measurements."""
