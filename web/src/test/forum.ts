// The forum and notifications, for tests.
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
type Author = Schemas['Author'];
type Category = Schemas['Category'];
type ThreadInFull = Schemas['ThreadInFull'];
type Post = Schemas['Post'];
type Notification = Schemas['Notification'];

export const author = (over: Partial<Author> = {}): Author => ({
  id: 'a-embla',
  name: 'Embla',
  handle: 'embla',
  role: 'member',
  ...over,
});

/** The six of the specification. */
export const categories: Category[] = (
  [
    ['getting-started', 'Getting Started'],
    ['case-studies', 'Case Studies'],
    ['tools-resources', 'Tools & Resources'],
    ['marketplace-talk', 'Marketplace Talk'],
    ['niche-strategies', 'Niche Strategies'],
    ['cybsectools-updates', 'Althing Updates'],
  ] as const
).map(([slug, name]) => ({
  id: `c-${slug}`,
  name,
  slug,
  description: `About ${name}`,
  threads: 2,
  replies: 1400,
  lastActivityAt: '2026-11-20T11:00:00Z',
}));

export const thread = (over: Partial<ThreadInFull> = {}): ThreadInFull => ({
  id: 't1',
  title: 'Which cookie window works?',
  categoryId: 'c-getting-started',
  isPinned: false,
  isLocked: false,
  views: 1204,
  replies: 1,
  createdAt: '2026-11-20T11:00:00Z',
  lastReplyAt: '2026-11-20T11:30:00Z',
  author: author(),
  lastReplyBy: author({ id: 'a-jon', name: 'Jón', handle: 'jon' }),
  unread: false,
  followed: false,
  isVisible: true,
  firstPostId: 'p1',
  lastReadPostId: null,
  canReply: true,
  ...over,
});

export const post = (over: Partial<Post> = {}): Post => ({
  id: 'p1',
  threadId: 't1',
  author: author(),
  text: 'Does **30 days** beat 90?',
  excerpt: 'Does 30 days beat 90?',
  html: null,
  isFirst: true,
  replyTo: null,
  mentions: [],
  likes: 2,
  liked: false,
  state: 'visible',
  createdAt: '2026-11-20T11:00:00Z',
  editedAt: null,
  edits: 0,
  canEdit: false,
  canDelete: false,
  flagged: false,
  position: 10,
  ...over,
});

export const notification = (over: Partial<Notification> = {}): Notification => ({
  id: 'n1',
  kind: 'mention',
  count: 1,
  actor: author(),
  title: 'Embla mentioned you in “Which cookie window works?”',
  path: '/forum/thread/t1?post=p2',
  at: '2026-11-20T11:30:00Z',
  seen: false,
  ...over,
});
