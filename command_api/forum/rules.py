"""The forum's limits, each a named constant. [DS] Discourse's `site_settings.yml`, [NB] NodeBB's `defaults.json`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

TITLE_LENGTH: Final = (3, 255)
"""[NB] minimumTitleLength, maximumTitleLength."""
POST_LENGTH: Final = (8, 32_767)
"""[NB] minimumPostLength, maximumPostLength."""
MAX_MENTIONS: Final = 10
"""[DS] max_mentions_per_post."""
MAX_LINKS_NEW_MEMBER: Final = 2
"""[DS] newuser_max_links: of a new member's post."""
MAX_MENTIONS_NEW_MEMBER: Final = 2
"""[DS] newuser_max_mentions_per_post."""
FLAGS_TO_HIDE: Final = 3
"""[DS] num_users_to_silence_new_user: reports that hide a post until a moderator reviews it."""
REFLAG_AFTER: Final = timedelta(hours=24)
"""[DS] cooldown_hours_until_reflag: after a moderator dismissed the reports."""
UNIQUE_FOR: Final = timedelta(minutes=5)
"""[DS] unique_posts_mins: the same text again is a mistake."""
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Rate limits of a member."""

    topic_gap: timedelta = timedelta(seconds=15)
    """[DS] rate_limit_create_topic."""
    reply_gap: timedelta = timedelta(seconds=5)
    """[DS] rate_limit_create_post."""
    new_topic_gap: timedelta = timedelta(seconds=120)
    """[DS] rate_limit_new_user_create_topic."""
    new_reply_gap: timedelta = timedelta(seconds=30)
    """[DS] rate_limit_new_user_create_post."""
    topics_a_day: int = 20
    """[DS] max_topics_per_day."""
    replies_a_day: int = 1_000
    """Althing's own upper bound; the gaps apply first."""
    likes_a_day: int = 50
    """[DS] max_likes_per_day."""
    flags_a_day: int = 20
    """[DS] max_flags_per_day."""
    edits_a_day: int = 30
    """[DS] max_edits_per_day."""
    first_day_topics: int = 3
    """[DS] max_topics_in_first_day."""
    first_day_replies: int = 10
    """[DS] max_replies_in_first_day."""
    new_until_shown: int = 3
    """Althing's own: a member with fewer shown posts is new."""


RATE_LIMITS: Final = RateLimits()
