"""The forum as it is read: threads, posts, members, search, and what moderators see. Most of it by anybody."""
