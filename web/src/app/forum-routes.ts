// The public forum and members' notifications.
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { withEarlyReads } from '@/lib/api/early-reads';
import { flat, textOf } from '@/lib/url/search';
import { getSession, isModerator } from '@/lib/session';
import { member } from './member-route';
import { root } from './root-route';

const forum = createRoute({
  getParentRoute: () => root,
  path: '/forum',
  staticData: {
    title: 'Forum',
    work: true,
    site: {
      description: 'Discussions about niches, programs, tracking, case studies and websites for sale.',
    },
    reads: ['/api/forum/categories', '/api/forum/threads?limit=30&sort=latest&filter=all'],
  },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/forum'), 'ForumPage'),
});

const thread = createRoute({
  getParentRoute: () => root,
  path: '/forum/thread/$id',
  staticData: {
    title: 'Forum',
    work: true,
    site: { description: 'A thread in the forum for affiliate marketers.' },
    reads: ['/api/forum/threads/$id', '/api/forum/threads/$id/posts?limit=20', '/api/forum/categories'],
  },
  validateSearch: flat,
  loader: ({ context, params, location }) =>
    withEarlyReads(async () =>
      (await import('./pages/forum-thread')).takeReads(context.client, params.id, flat(location.search)),
    ),
  component: lazyRouteComponent(() => import('./pages/forum-thread'), 'ForumThreadPage'),
});

const profile = createRoute({
  getParentRoute: () => root,
  path: '/forum/member/$handle',
  staticData: { title: 'Member of the forum', work: true },
  component: lazyRouteComponent(() => import('./pages/forum-member'), 'ForumMemberPage'),
});

const log = createRoute({
  getParentRoute: () => root,
  path: '/forum/log',
  staticData: { title: 'Moderation log', work: true },
  component: lazyRouteComponent(() => import('./pages/forum-log'), 'ForumLogPage'),
});

const newThread = createRoute({
  getParentRoute: () => member,
  path: '/forum/new',
  staticData: { title: 'Start New Thread' },
  validateSearch: (search): { category?: string } => {
    const category = textOf(search['category']);
    return category ? { category } : {};
  },
  component: lazyRouteComponent(() => import('./pages/forum-new'), 'ForumNewPage'),
});

const moderation = createRoute({
  getParentRoute: () => member,
  path: '/forum/moderation',
  staticData: { title: 'Moderation' },
  beforeLoad: () => {
    if (!isModerator(getSession()?.user)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./pages/forum-moderation'), 'ForumModerationPage'),
});

const notifications = createRoute({
  getParentRoute: () => member,
  path: '/notifications',
  staticData: { title: 'Notifications' },
  component: lazyRouteComponent(() => import('./pages/notifications'), 'NotificationsPage'),
});

const noDigests = createRoute({
  getParentRoute: () => root,
  path: '/notifications/unsubscribe',
  staticData: { title: 'Unsubscribe from digests' },
  component: lazyRouteComponent(() => import('./pages/notifications-unsubscribe'), 'NotificationsUnsubscribePage'),
});

export const forumRoutes = [forum, thread, profile, log, noDigests] as const;
export const forumMemberRoutes = [newThread, moderation, notifications] as const;
