"""The forum, deciding: threads, posts, likes, follows, members, moderation, and views."""
