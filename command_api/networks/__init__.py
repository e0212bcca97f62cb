"""Networks: what they report in files, by API and by push."""
