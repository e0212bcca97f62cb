"""Commands of the forum. `author_name`: the sender's name, from which a new member gets a handle."""

from __future__ import annotations

from uuid import UUID

from command_api.forum import schemas
from command_api.forum.schemas import StartedThread, WrittenPost
from command_api.kernel.command_handlers import Command


class PostCommand(Command[None]):
    """About one post."""

    post_id: UUID


class ThreadCommand(Command[None]):
    """About one thread."""

    thread_id: UUID


class CreateCategory(Command[bool]):
    """Creates a category unless it exists; answers whether it did. `slug` never changes: the id is derived from it."""

    slug: str
    name: str
    description: str
    place: int


class StartThread(Command[StartedThread]):
    """Starts a thread, which its author follows. A new member's thread with links needs approval."""

    thread_id: UUID
    post_id: UUID
    author_name: str
    fields: schemas.NewThread


class ReplyToThread(Command[WrittenPost]):
    """Replies; with the first reply the member follows the thread."""

    thread_id: UUID
    post_id: UUID
    author_name: str
    fields: schemas.Reply


class EditPost(Command[WrittenPost]):
    """Replaces the text; the one before is kept for the author and moderators."""

    post_id: UUID
    author_name: str
    text: str


class DeletePost(PostCommand):
    """Deletes a post of the sender; the first post of a thread as long as nobody has replied."""


class DeletePostAsModerator(PostCommand):
    """Deletes a post; the first one with its thread. Its author gets the reason."""

    reason: str


class RestorePost(PostCommand):
    """Shows a deleted post again; the first one with its thread."""


class ApprovePost(PostCommand):
    """Shows a post that awaits approval, and closes its reports."""


class DismissFlags(PostCommand):
    """Dismisses the reports of a post, which cannot be reported for a day then."""


class FlagPost(PostCommand):
    """Reports a post to the moderators; the third member's report hides it until one reviews it."""

    author_name: str
    fields: schemas.FlagPost


class LikePost(PostCommand):
    """Likes a post; again changes nothing."""

    author_name: str


class UnlikePost(PostCommand):
    """Takes a like back."""


class FollowThread(ThreadCommand):
    """Follows a thread; again changes nothing."""


class UnfollowThread(ThreadCommand):
    """Ends following a thread."""


class PinThread(ThreadCommand):
    """Lists the thread before the others."""

    reason: str


class UnpinThread(ThreadCommand):
    """Lists the thread by its last reply again."""

    reason: str


class LockThread(ThreadCommand):
    """Allows only moderators to reply."""

    reason: str


class UnlockThread(ThreadCommand):
    """Allows replies again."""

    reason: str


class MoveThread(ThreadCommand):
    """Moves the thread to another category."""

    category_id: UUID
    reason: str


class SuspendMember(Command[None]):
    """Suspends a member from writing. `by_admin`: the sender is an admin, who may suspend other admins."""

    account_id: UUID
    by_admin: bool
    fields: schemas.Suspension


class ReinstateMember(Command[None]):
    """Ends a suspension."""

    account_id: UUID


class CountViews(Command[int]):
    """Makes events of waiting views, one per thread of at most `threads`; answers how many."""

    threads: int
