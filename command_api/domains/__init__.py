"""Custom domains: proof by a DNS record, regular checks, and the loss of a domain whose record is gone."""
