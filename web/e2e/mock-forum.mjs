// The forum and notifications as the mock answers them.
const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const CATEGORIES = [
  ['getting-started', 'Getting Started', 'First steps: niches, websites, programs and your first tracked link.'],
  ['case-studies', 'Case Studies', 'What worked, what did not, and what it earned.'],
  ['tools-resources', 'Tools & Resources', 'Software, templates and reading that save time.'],
  ['marketplace-talk', 'Marketplace Talk', 'Buying and selling affiliate websites: prices, checks, handovers.'],
  ['niche-strategies', 'Niche Strategies', 'VPN, hosting, software, finance, health, education, e-commerce.'],
  ['cybsectools-updates', 'Althing Updates', 'What is new on the platform, and what you would like next.'],
];
const person = (id, name, role = 'member') => ({
  id,
  name,
  handle: name
    .toLowerCase()
    .split(' ')[0]
    .normalize('NFKD')
    .replace(/[^a-z]/g, ''),
  role,
});
const PEOPLE = [
  person('a1', 'Embla Ketilsdóttir'),
  person('a2', 'Gunnar Þórsson'),
  person('u1', 'Sigrún Jónsdóttir', 'moderator'),
];
const GONE = { id: null, name: 'Deleted member', handle: null, role: 'member' };
const TITLES = [
  'Read this first: how the forum works',
  'Which cookie window converts best for VPN comparisons?',
  'From 0 to $3,200 a month with a hosting comparison: all numbers',
  'Postbacks or the pixel: what do you use?',
  'Is 3.2× yearly profit a fair price for a two-year-old website?',
  'Newsletter sign-ups dropped after the redesign, what would you look at first?',
  'A very long title about the differences between last-click and first-click attribution when a partner reports conversions days later',
];
const thread = (index) => ({
  id: `t${index}`,
  title: TITLES[index],
  categoryId: `c${index % 6}`,
  isPinned: index === 0,
  isLocked: index === 0,
  views: [4210, 1204, 980, 77, 412, 31, 8][index],
  replies: [0, 23, 112, 4, 41, 1, 2][index],
  createdAt: ago(60 * 30 * (index + 1)),
  lastReplyAt: index === 0 ? null : ago([0, 0.5, 12, 190, 2000, 4000, 30_000][index]),
  author: PEOPLE[index % 3],
  lastReplyBy: index === 0 ? null : index === 3 ? GONE : PEOPLE[(index + 1) % 3],
  unread: index === 1 || index === 2,
  followed: index === 1,
  isVisible: index !== 6,
});
const TEXT =
  'I moved two comparison tables from a **30-day** to a 90-day window in September:\n\n| Program | Window | Conversion rate |\n|---|---|---|\n| NordVPN | 30 days | 4.1% |\n| Surfshark | 90 days | 4.3% |\n\nSo the window matters less than I thought &mdash; R&amp;D says so, too. What matters more:\n\n1. where the first link stands\n2. whether the price is shown\n\n```\nsub1=table&sub2=first\n```\n\nWhat do **you** see?';
const post = (over) => ({
  id: 'p1',
  threadId: 't1',
  author: PEOPLE[1],
  text: TEXT,
  excerpt: 'I moved two comparison tables from a 30-day to a 90-day window in September',
  html: null,
  isFirst: true,
  replyTo: null,
  mentions: [],
  likes: 12,
  liked: true,
  state: 'visible',
  createdAt: ago(3000),
  editedAt: ago(2000),
  edits: 1,
  canEdit: true,
  canDelete: true,
  flagged: false,
  position: 1,
  ...over,
});
const POSTS = [
  post({}),
  post({
    id: 'p2',
    author: PEOPLE[0],
    isFirst: false,
    text: '> @gunnar wrote:\n>\n> So the window matters less than I thought.\n\nSame here, @gunnar. My readers come back within a week; [this study](https://example.com/windows) says so too.',
    mentions: [PEOPLE[1]],
    replyTo: { id: 'p1', author: PEOPLE[1], excerpt: 'I moved two comparison tables from a 30-day to a 90-day window' },
    likes: 3,
    liked: false,
    edits: 0,
    editedAt: null,
    createdAt: ago(200),
    position: 2,
  }),
  post({
    id: 'p3',
    author: PEOPLE[2],
    isFirst: false,
    text: 'I can share the numbers of last year if anyone wants to compare.',
    likes: 0,
    liked: false,
    edits: 1,
    editedAt: ago(20),
    createdAt: ago(60),
    position: 3,
  }),
  post({
    id: 'p4',
    author: GONE,
    isFirst: false,
    text: "Removed at its author's request.",
    likes: 0,
    liked: false,
    edits: 0,
    editedAt: null,
    createdAt: ago(30),
    position: 4,
  }),
  post({
    id: 'p5',
    author: PEOPLE[0],
    isFirst: false,
    text: 'Cheap watches: https://shop.example',
    state: 'held',
    likes: 0,
    liked: false,
    edits: 0,
    editedAt: null,
    createdAt: ago(0.2),
    position: 5,
  }),
];
const member = (who) => ({
  ...who,
  joinedAt: ago(400_000),
  posts: 31,
  threads: 4,
  likesReceived: 117,
  suspendedUntil: null,
});
const notice = (id, kind, title, minutes, seen, path = '/forum/thread/t1?post=p2') => ({
  id,
  kind,
  count: 1,
  actor: PEOPLE[0],
  title,
  path,
  at: ago(minutes),
  seen,
});
const KINDS = [
  ['mention', 'Someone mentions you', 'daily'],
  ['quote', 'Someone replies to your post', 'daily'],
  ['reply', 'New replies in threads you follow', 'weekly'],
  ['like', 'Someone likes your post', 'off'],
  ['moderation', 'Moderation of your posts', 'daily'],
  ['listing', 'Your listings and questions: review, questions, answers', 'off', true],
  ['offer', 'Offers for websites', 'off', true],
  ['offer_message', 'Messages about an offer', 'daily'],
  ['deal', 'Your deals: payment, handover, inspection, dispute', 'off', true],
];

const hours = { unit: 'hours', default: 6, least: 1, most: 168 };
const percent = { unit: 'percent', default: 30, least: 10, most: 90 };
const clicks = { unit: 'clicks', default: 200, least: 50, most: 1_000_000 };
const rule = (kind, title, threshold = null, minimum = null, id = null) => ({
  id,
  websiteId: 'w1',
  kind,
  title,
  enabled: kind !== 'month_closed',
  threshold: threshold && { value: threshold.default, ...threshold },
  minimum: minimum && { value: minimum.default, ...minimum },
});
const RULES = [
  rule('no_events', 'No page views or clicks arrive', { ...hours, value: 12 }, null, 'r1'),
  rule('postbacks_rejected', 'Postbacks are rejected', {
    unit: 'postbacks per hour',
    default: 5,
    least: 1,
    most: 100_000,
  }),
  rule('conversion_rate_fell', 'The conversion rate falls', percent, clicks),
  rule('epc_fell', 'Earnings per click fall', percent, clicks),
  rule('pending_conversions', 'Conversions stay pending', { unit: 'days', default: 30, least: 1, most: 365 }),
  rule('partner_deactivated', 'A partner with links is deactivated'),
  rule('link_broken', 'The page behind a link is gone'),
  rule('month_closed', 'A month is closed, with its totals', null, null, 'r2'),
  rule('reports_stopped', 'Reports of a connected network stop arriving', {
    unit: 'days',
    default: 2,
    least: 1,
    most: 60,
  }),
  rule('import_failed', 'A report of a network cannot be read'),
  rule(
    'declines_rose',
    'A partner declines more than usual',
    { unit: 'percentage points', default: 15, least: 5, most: 90 },
    { unit: 'decided conversions', default: 30, least: 10, most: 1_000_000 },
  ),
  rule('partner_overdue', 'A partner pays late', { unit: 'days', default: 30, least: 1, most: 90 }),
];
const alert = (id, kind, title, opened, resolved = null) => ({
  id,
  websiteId: 'w1',
  domain: 'vpn-review.example',
  kind,
  title,
  text: title,
  path: '/conversions?website=w1&status=pending',
  openedAt: ago(opened),
  resolvedAt: resolved && ago(resolved),
});
const ALERTS = [
  alert('a1', 'postbacks_rejected', '12 postbacks of Awin rejected since 14:00 (unknown_partner)', 20),
  alert('a2', 'pending_conversions', '14 conversions pending for more than 30 days (412.50 USD)', 900),
  alert('a3', 'link_broken', '/fjord-deal is broken: The page does not exist (404)', 4000, 2000),
];
const hook = (id, url, format, over = {}) => ({
  id,
  url,
  format,
  websiteIds: [],
  kinds: [],
  resolved: false,
  active: true,
  switchedOff: '',
  addedAt: ago(9000),
  ...over,
});
const HOOKS = [
  hook('h1', 'https://example.com/webhooks/althing', 'standard'),
  hook('h2', 'https://hooks.slack.com/services/T0/B0/x', 'slack', {
    kinds: ['no_events'],
    active: false,
    switchedOff: 'failures',
  }),
];
const message = (id, type, state, attempts, status, error, at) => ({
  id,
  type,
  state,
  attempts,
  status,
  error,
  createdAt: ago(at),
  attemptedAt: ago(at - 1),
  nextAttemptAt: state === 'waiting' ? ago(-5) : null,
});
const DELIVERIES = [
  message('d1', 'webhook.test', 'delivered', 1, 204, '', 3),
  message('d2', 'alert.opened', 'waiting', 2, 503, 'The address responded with status 503.', 20),
  message('d3', 'alert.opened', 'failed', 7, null, 'There was no answer in time.', 2000),
];

/** The arguments of `json`, or undefined. `nothing`: nobody has written yet. */
export function forumAnswer(key, query, nothing) {
  const [method, path] = key.split(' ');
  if (
    !/^\/api\/((admin|public)\/)?forum\//.test(path) &&
    !/^\/api\/(platform\/(forum|notification|alert|webhook)|public\/notifications)/.test(path)
  )
    return undefined;
  if (path === '/api/public/notifications/unsubscribe')
    return [{ ok: true, message: 'You will no longer get these emails. You can turn them on again in your settings.' }];
  if (key === 'POST /api/forum/threads') return [{ id: 't1', postId: 'p1', state: 'visible' }, 201];
  if (method === 'POST' && path.endsWith('/posts')) return [{ id: 'p3', state: 'visible' }, 201];
  if (key === 'POST /api/platform/webhooks') return [{ ...HOOKS[0], secret: `whsec_${'b'.repeat(44)}` }, 201];
  if (method !== 'GET') return [null, 204];
  if (path.startsWith('/api/platform/webhooks/')) return [DELIVERIES];
  const answers = {
    '/api/platform/alerts': () => RULES,
    '/api/platform/alerts/raised': () =>
      nothing ? [] : query.open === 'true' ? ALERTS.filter((alert) => !alert.resolvedAt) : ALERTS,
    '/api/platform/alert-delivery': () => ({
      mail: true,
      mailResolved: false,
      quietFrom: '22:00',
      quietUntil: '07:00',
      timezone: 'Europe/Oslo',
    }),
    '/api/platform/webhooks': () => (nothing ? [] : HOOKS),
    '/api/forum/categories': () =>
      CATEGORIES.map(([slug, name, description], index) => ({
        id: `c${index}`,
        name,
        slug,
        description,
        threads: nothing ? 0 : 1240 >> index,
        replies: nothing ? 0 : 20_312 >> index,
        lastActivityAt: nothing ? null : ago(index * 70 + 2),
      })),
    '/api/forum/threads': () =>
      nothing
        ? []
        : TITLES.map((_, index) => thread(index)).filter(
            (item) => !query.categoryId || item.categoryId === query.categoryId,
          ),
    '/api/forum/search': () =>
      query.q === 'nothing'
        ? []
        : [
            {
              threadId: 't1',
              postId: 'p2',
              categoryId: 'c1',
              title: TITLES[1],
              excerpt: [
                { text: 'So the ', hit: false },
                { text: 'window', hit: true },
                { text: ' matters less than I thought.', hit: false },
              ],
              author: PEOPLE[0],
              createdAt: ago(300),
            },
          ],
    '/api/forum/threads/t1': () => ({ ...thread(1), firstPostId: 'p1', lastReadPostId: 'p2', canReply: true }),
    '/api/forum/threads/t0': () => ({ ...thread(0), firstPostId: 'p1', lastReadPostId: null, canReply: false }),
    '/api/forum/threads/t1/posts': () => POSTS,
    '/api/forum/threads/t0/posts': () => POSTS.slice(0, 1),
    '/api/forum/posts/p1/history': () => [
      { number: 1, text: 'I moved two tables.', editedBy: PEOPLE[1], editedAt: ago(2000) },
    ],
    '/api/forum/members': () => PEOPLE,
    '/api/forum/members/embla': () => member(PEOPLE[0]),
    '/api/forum/members/embla/posts': () => POSTS.slice(1, 2),
    '/api/platform/forum/me': () => ({
      handle: 'sigrun',
      isNew: true,
      isModerator: true,
      suspendedUntil: null,
      suspensionReason: null,
    }),
    '/api/forum/log': () =>
      nothing
        ? []
        : [
            ['locked', 'It only tells the rules.', null],
            ['moved', '', null],
            ['deleted', 'Advertises a shop.', PEOPLE[0]],
            ['suspended', 'Advertises a shop, again.', PEOPLE[0]],
          ].map(([action, reason, who], index) => ({
            id: 9 - index,
            action,
            threadId: who && index === 3 ? null : 't1',
            postId: null,
            title: index === 3 ? null : TITLES[1],
            member: who,
            by: PEOPLE[2].name,
            reason,
            at: ago(index * 900 + 3),
          })),
    '/api/admin/forum/queue': () =>
      nothing
        ? []
        : [
            { post: POSTS[4], threadTitle: TITLES[1], waitsFor: 'approval', waitingSince: ago(30), flags: [] },
            {
              post: { ...POSTS[1], state: 'hidden' },
              threadTitle: TITLES[1],
              waitsFor: 'flags',
              waitingSince: ago(12),
              flags: [
                { reason: 'off_topic', note: '', by: PEOPLE[1], at: ago(14) },
                { reason: 'spam', note: 'The link leads to a shop.', by: PEOPLE[2], at: ago(12) },
              ],
            },
          ],
    '/api/platform/notifications/unseen': () => ({ unseen: nothing ? 0 : 2 }),
    '/api/platform/notifications': () =>
      nothing
        ? []
        : [
            notice('n1', 'mention', `Embla Ketilsdóttir mentioned you in “${TITLES[1]}”`, 2, false),
            notice('n2', 'reply', `14 new replies in “${TITLES[2]}”`, 70, false),
            notice('n3', 'like', `Embla Ketilsdóttir and 3 others like your post in “${TITLES[1]}”`, 4000, true),
            notice('n4', 'moderation', 'A moderator approved your post', 9000, true),
            notice(
              'n5',
              'deal',
              'The money for “VPN reviews with steady search traffic” lies in escrow',
              9100,
              true,
              '/marketplace/deals/inspect',
            ),
          ],
    '/api/platform/notification-preferences': () =>
      KINDS.map(([kind, title, mail, atOnce = false]) => ({ kind, title, inApp: true, mail, atOnce })),
  };
  return answers[path] && [answers[path]()];
}
