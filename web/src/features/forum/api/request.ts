/** Replies on a page of a thread. */
export const POSTS = 20;

export const path = (id: string) => ({ params: { path: { id } } });

/** What a command of the forum may change. */
export const FORUM = [['forum']];
