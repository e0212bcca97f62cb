"""Where a visit comes from: referrers, search engines, social networks, spam."""
