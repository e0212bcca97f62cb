import { act, cleanup, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSession } from '@/lib/session';
import { author, categories, post, thread } from '@/test/forum';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { account, USER } from '@/test/fixtures';
import { textFault, titleFault } from '../lib/limits';

const me = author({ id: USER.id, name: USER.name, handle: 'sigrun' });
const nothing = () => noContent();
const sent = (line: string) => state.seen.find((item) => item.line.startsWith(line))?.body;

beforeEach(() => {
  vi.setSystemTime('2026-11-20T12:00:00Z');
  server.use(
    http.get('/api/forum/categories', () => json(categories)),
    http.get('/api/forum/threads', () => json([thread()])),
    http.get('/api/forum/threads/{id}', () => json(thread())),
    http.get('/api/forum/threads/{id}/posts', () => json([post(), answer()])),
    http.get('/api/platform/forum/me', () =>
      json({
        handle: 'sigrun',
        isNew: true,
        isModerator: false,
        suspendedUntil: null,
        suspensionReason: null,
      }),
    ),
    http.post('/api/public/forum/threads/{id}/view', nothing),
    http.post('/api/forum/threads/{id}/read', nothing),
  );
});

afterEach(() => vi.useRealTimers());

const answer = () =>
  post({
    id: 'p2',
    isFirst: false,
    author: author({ id: 'a-jon', name: 'Jón', handle: 'jon' }),
    text: 'Ask @embla.',
    excerpt: 'Ask @embla.',
    mentions: [author()],
    replyTo: { id: 'p1', author: author(), excerpt: 'Does 30 days beat 90?' },
    likes: 0,
    position: 11,
    createdAt: '2026-11-20T11:30:00Z',
  });

test('spec §2, §3, forum home: category cards, thread list, "Start New Thread", thread links', async () => {
  renderApp('/forum');
  const cards = within(await screen.findByRole('navigation', { name: 'Categories' }));
  expect(cards.getAllByRole('link').map((card) => card.textContent)).toEqual(
    expect.arrayContaining([expect.stringContaining('Althing Updates')]),
  );
  expect(cards.getByRole('link', { name: /Getting Started/ })).toHaveAttribute(
    'href',
    '/forum?category=getting-started',
  );
  expect(screen.getByRole('link', { name: 'Start New Thread' })).toHaveAttribute('href', '/forum/new');
  const list = await screen.findByRole('region', { name: 'Threads' });
  expect(within(list).getByRole('link', { name: 'Which cookie window works?' })).toHaveAttribute(
    'href',
    '/forum/thread/t1',
  );
  expect(within(list).getByRole('link', { name: 'Embla' })).toHaveAttribute('href', '/forum/member/embla');
  expect(within(list).getByText('1 hour ago')).toBeInTheDocument();
  expect(within(list).getByText('30 minutes ago')).toBeInTheDocument();
});

test('spec §2, forum home: the empty text', async () => {
  server.use(http.get('/api/forum/threads', () => json([])));
  renderApp('/forum');
  expect(await screen.findByText('No threads found. Be the first to start a discussion!')).toBeInTheDocument();
});

test('spec §2, §7: category, order and filter are the address', async () => {
  signIn();
  const { user, router } = renderApp('/forum?category=case-studies&sort=views');
  await screen.findByRole('region', { name: 'Threads in Case Studies' });
  expect(requests('GET /api/forum/threads?').at(-1)).toContain('sort=views&filter=all&categoryId=c-case-studies');
  await user.selectOptions(screen.getByLabelText('Threads', { selector: 'select' }), 'Unread');
  await vi.waitFor(() =>
    expect(router.state.location.search).toEqual({ category: 'case-studies', sort: 'views', filter: 'unread' }),
  );
  await user.click(screen.getByRole('link', { name: /Case Studies/, current: 'page' }));
  await vi.waitFor(() => expect(router.state.location.search).toEqual({ sort: 'views', filter: 'unread' }));
});

test('spec §3: unread, pinned and locked threads say so', async () => {
  server.use(http.get('/api/forum/threads', () => json([thread({ unread: true, isPinned: true, isLocked: true })])));
  renderApp('/forum');
  expect(await screen.findByRole('link', { name: 'Which cookie window works? (unread)' })).toBeInTheDocument();
  expect(screen.getByText('Pinned')).toBeInTheDocument();
  expect(screen.getByText('Locked')).toBeInTheDocument();
});

test('search shows the pieces of what was found, never as HTML', async () => {
  server.use(
    http.get('/api/forum/search', () =>
      json([
        {
          threadId: 't1',
          postId: 'p2',
          categoryId: 'c1',
          title: 'Windows',
          excerpt: [
            { text: '<b>', hit: false },
            { text: 'cookie', hit: true },
          ],
          author: author(),
          createdAt: '2026-11-20T11:00:00Z',
        },
      ]),
    ),
  );
  const { user, router } = renderApp('/forum');
  await user.type(await screen.findByLabelText('Search the forum'), 'cookie{Enter}');
  expect(await screen.findByRole('link', { name: 'Windows' })).toHaveAttribute('href', '/forum/thread/t1?post=p2');
  expect(screen.getByText('cookie', { selector: 'mark' })).toBeInTheDocument();
  expect(screen.getByText(/<b>/)).toBeInTheDocument();
  expect(router.state.location.search).toEqual({ q: 'cookie' });
});

test('a list that cannot be read says so and is read again', async () => {
  server.use(http.get('/api/forum/threads', () => refuse(503, 'Not now.'), { once: true }));
  const { user } = renderApp('/forum');
  await user.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: 'Which cookie window works?' })).toBeInTheDocument();
});

test('a new thread: its rules first, then it is sent, and the draft goes', async () => {
  signIn();
  server.use(http.post('/api/forum/threads', () => json({ id: 't9', postId: 'p9', state: 'held' }, { status: 201 })));
  const { user, router } = renderApp('/forum/new?category=case-studies');
  await user.type(await screen.findByLabelText('Title'), 'Hi');
  await user.type(screen.getByLabelText('Text'), 'short');
  await user.click(screen.getByRole('button', { name: 'Start Thread' }));
  expect(screen.getByText('Title must be at least 3 characters')).toBeInTheDocument();
  expect(screen.getByText('Text must be at least 8 characters')).toBeInTheDocument();
  expect(localStorage.getItem(`draft:${USER.id}:forum-new`)).toContain('short');
  expect(await screen.findByText('Limits for new members')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Title'), 'story');
  await user.type(screen.getByLabelText('Text'), ' **but** longer');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  expect(await screen.findByText('but', { selector: 'strong' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Start Thread' }));
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/forum/thread/t9'));
  expect(await screen.findByText('Thread received', { exact: true })).toBeInTheDocument();
  expect(sent('POST /api/forum/threads')).toEqual({
    title: 'History',
    categoryId: 'c-case-studies',
    text: 'short **but** longer',
  });
  expect(localStorage.getItem(`draft:${USER.id}:forum-new`)).toBeNull();
});

test('signing in as another member in another tab does not show the draft of the previous member', async () => {
  signIn();
  const { user } = renderApp('/forum/new');
  await user.type(await screen.findByLabelText('Title'), 'Mine alone');
  act(() => startSession({ token: 'token-2', user: { ...USER, id: 'u2', name: 'Jón' } }));
  await vi.waitFor(() => expect(screen.getByLabelText('Title')).toHaveValue(''));
  expect(localStorage.getItem('draft:u2:forum-new')).toBeNull();
  expect(localStorage.getItem(`draft:${USER.id}:forum-new`)).toContain('Mine alone');
});

test('the forms show the name that others will see', async () => {
  signIn();
  state.account = { ...state.account, displayName: 'Countess' };
  renderApp('/forum/new');
  const note = await screen.findByText(/^Everyone can see that this is from/);
  expect(note).toHaveTextContent('Everyone can see that this is from Countess. Change display name');
});

test('spec §6: visitors read; to write they sign in and come back', async () => {
  const { user, router } = renderApp('/forum/thread/t1');
  expect(await screen.findByText('30 days', { selector: 'strong' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Sign in to reply' }));
  await vi.waitFor(() => expect(router.state.location.href).toBe('/login?next=%2Fforum%2Fthread%2Ft1'));
  const other = renderApp('/forum/new');
  await vi.waitFor(() => expect(other.router.state.location.href).toBe('/login?next=%2Fforum%2Fnew'));
});

test('a thread: title, authors, quotation, mention; the address of a post is shown', async () => {
  signIn();
  renderApp('/forum/thread/t1?post=p2');
  expect(await screen.findByRole('heading', { level: 1, name: 'Which cookie window works?' })).toBeInTheDocument();
  const reply = await screen.findByRole('article', { name: 'Reply by Jón' });
  expect(await within(reply).findByRole('link', { name: '@embla' })).toHaveAttribute('href', '/forum/member/embla');
  expect(within(reply).getByRole('link', { name: /Embla: Does 30 days/ })).toHaveAttribute(
    'href',
    '/forum/thread/t1?post=p1',
  );
  expect(requests('GET /api/forum/threads/t1/posts').at(-1)).toContain('around=p2');
  await vi.waitFor(() => expect(reply).toHaveFocus());
  expect(requests('POST /api/public/forum/threads/t1/view')).toHaveLength(1);
  await vi.waitFor(() => expect(document.title).toContain('Which cookie window works?'));
});

test('reply with a quotation and a mention from the suggestions', async () => {
  signIn();
  server.use(
    http.get('/api/forum/members', () => json([author(), author({ id: 'a-em', name: 'Emil', handle: 'emil' })])),
    http.post('/api/forum/threads/{id}/posts', () => json({ id: 'p3', state: 'visible' }, { status: 201 })),
  );
  const { user, router } = renderApp('/forum/thread/t1');
  await user.click(await screen.findByRole('button', { name: 'Quote the post by Jón' }));
  const box = screen.getByLabelText('Your reply', { selector: 'textarea' });
  expect(box).toHaveValue('> @jon wrote:\n>\n> Ask @embla.\n\n');
  await vi.waitFor(() => expect(box).toHaveFocus());
  await user.keyboard('Right, @em');
  await user.click(await screen.findByRole('option', { name: /Emil/ }));
  expect(box).toHaveValue('> @jon wrote:\n>\n> Ask @embla.\n\nRight, @emil ');
  await user.click(screen.getByRole('button', { name: 'Reply' }));
  expect(await screen.findByText('Reply posted', { exact: true })).toBeInTheDocument();
  expect(sent('POST /api/forum/threads/t1/posts')).toEqual({
    text: '> @jon wrote:\n>\n> Ask @embla.\n\nRight, @emil',
    replyTo: 'p2',
  });
  await vi.waitFor(() => expect(router.state.location.search).toEqual({ post: 'p3' }));
});

test('what is being answered, and what is being edited, is there again after a reload', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ roles: ['member'] });
  server.use(
    http.get('/api/forum/threads/{id}/posts', () =>
      json([post(), answer(), post({ id: 'p3', isFirst: false, author: me, text: 'My first words', canEdit: true })]),
    ),
    http.post('/api/forum/threads/{id}/posts', () => json({ id: 'p4', state: 'visible' }, { status: 201 })),
    http.patch('/api/forum/posts/{id}', () => json({ id: 'p3', state: 'visible' })),
  );
  const { user } = renderApp('/forum/thread/t1');
  const edit = async () => {
    await user.click(await screen.findByRole('button', { name: `More about the post by ${USER.name}` }));
    await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
    return screen.findByLabelText('Text', { selector: 'textarea' });
  };
  await user.click(await screen.findByRole('button', { name: 'Reply to the post by Jón' }));
  await user.type(screen.getByLabelText('Your reply', { selector: 'textarea' }), 'Half a thought');
  await user.type(await edit(), ', and more');
  cleanup();
  renderApp('/forum/thread/t1');
  expect(await screen.findByLabelText('Your reply', { selector: 'textarea' })).toHaveValue('Half a thought');
  expect(screen.getByText('To a post you selected')).toBeInTheDocument();
  expect(await edit()).toHaveValue('My first words, and more');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(sent('PATCH /api/forum/posts/p3')).toEqual({ text: 'My first words, and more' }));
  await user.click(screen.getByRole('button', { name: 'Reply' }));
  await vi.waitFor(() =>
    expect(sent('POST /api/forum/threads/t1/posts')).toEqual({ text: 'Half a thought', replyTo: 'p2' }),
  );
  await vi.waitFor(() => expect(Object.keys(localStorage).filter((name) => name.startsWith('draft:'))).toEqual([]));
});

test('who does not fit what is typed any more is not offered, whatever the answer of before was', async () => {
  signIn();
  server.use(
    http.get('/api/forum/members', ({ request }) =>
      new URL(request.url).searchParams.get('prefix') === 'e' ? json([author()]) : new Promise<never>(() => undefined),
    ),
  );
  const { user } = renderApp('/forum/thread/t1');
  const box = await screen.findByLabelText('Your reply', { selector: 'textarea' });
  await user.type(box, 'Ask @e');
  expect(await screen.findByRole('option', { name: /Embla/ })).toBeInTheDocument();
  await user.type(box, 'r{Enter}');
  expect(box).toHaveValue('Ask @er\n');
});

test('a link to a post that is gone leads to the thread', async () => {
  server.use(
    http.get('/api/forum/threads/{id}/posts', ({ request }) =>
      new URL(request.url).searchParams.has('around') ? refuse(404, 'Post not found.') : json([post()]),
    ),
  );
  const { user, router } = renderApp('/forum/thread/t1?post=gone');
  expect(await screen.findByText('The linked post no longer exists.')).toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Go to the start of the thread' }));
  expect(await screen.findByRole('article', { name: 'First post by Embla' })).toBeInTheDocument();
  expect(router.state.location.search).toEqual({});
});

test('a text is as long as the server counts it', () => {
  expect(textFault('😀😀😀😀')).toBe('Text must be at least 8 characters');
  expect(textFault('😀'.repeat(8))).toBeUndefined();
  expect(titleFault(` ${'é'.repeat(255)} `)).toBeUndefined();
  expect(textFault('😀'.repeat(32_768))).toBe('Text must be at most 32,767 characters');
});

test('a member who is not there is the page that is not found', async () => {
  server.use(
    http.get('/api/forum/members/{handle}', () => refuse(404, 'Member not found.')),
    http.get('/api/forum/members/{handle}/posts', () => refuse(404, 'Member not found.')),
  );
  renderApp('/forum/member/nobody');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
});

test('a like shows at once, and goes again when it is refused', async () => {
  signIn();
  let answers: (() => void) | undefined;
  server.use(
    http.put('/api/forum/posts/{id}/like', async () => {
      await new Promise<void>((resolve) => (answers = resolve));
      return refuse(429, 'You have given 50 likes in 24 hours, which is the limit.');
    }),
  );
  const { user } = renderApp('/forum/thread/t1');
  await user.click(await screen.findByRole('button', { name: 'Like the post by Embla, 2 likes' }));
  expect(
    await screen.findByRole('button', { name: 'Like the post by Embla, 3 likes', pressed: true }),
  ).toBeInTheDocument();
  answers?.();
  expect(
    await screen.findByText('You have given 50 likes in 24 hours, which is the limit.', { exact: true }),
  ).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Like the post by Embla, 2 likes', pressed: false })).toBeInTheDocument();
});

test('report a post', async () => {
  signIn();
  server.use(http.post('/api/forum/posts/{id}/flag', nothing));
  const { user } = renderApp('/forum/thread/t1');
  await user.click(await screen.findByRole('button', { name: 'More about the post by Jón' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Report' }));
  const dialog = await screen.findByRole('dialog', { name: 'Report a post' });
  expect(within(dialog).getByRole('button', { name: 'Report' })).toBeDisabled();
  await user.click(within(dialog).getByRole('radio', { name: /Spam/ }));
  await user.type(within(dialog).getByLabelText('Note (optional)'), 'a shop');
  await user.click(within(dialog).getByRole('button', { name: 'Report' }));
  expect(await screen.findByText('Report sent', { exact: true })).toBeInTheDocument();
  expect(sent('POST /api/forum/posts/p2/flag')).toEqual({ reason: 'spam', note: 'a shop' });
});

test('edit and delete one’s own post, and read how it was', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ roles: ['member'] });
  server.use(
    http.get('/api/forum/threads/{id}/posts', () =>
      json([
        post(),
        post({
          id: 'p2',
          isFirst: false,
          author: me,
          text: 'My first words',
          canEdit: true,
          canDelete: true,
          edits: 1,
          editedAt: '2026-11-20T11:50:00Z',
        }),
      ]),
    ),
    http.patch('/api/forum/posts/{id}', () => json({ id: 'p2', state: 'visible' })),
    http.delete('/api/forum/posts/{id}', nothing),
    http.get('/api/forum/posts/{id}/history', () =>
      json([{ number: 1, text: 'Before that', editedBy: me, editedAt: '2026-11-20T11:50:00Z' }]),
    ),
  );
  const { user } = renderApp('/forum/thread/t1');
  const more = () => screen.findByRole('button', { name: `More about the post by ${USER.name}` });
  await user.click(await more());
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const box = await screen.findByLabelText('Text', { selector: 'textarea' });
  await user.clear(box);
  await user.type(box, 'Better words');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Post changed', { exact: true })).toBeInTheDocument();
  expect(sent('PATCH /api/forum/posts/p2')).toEqual({ text: 'Better words' });
  await user.click(await more());
  await user.click(await screen.findByRole('menuitem', { name: 'Edit history' }));
  expect(await screen.findByText('Before that')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  await user.click(await more());
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete this post?' });
  expect(within(dialog).queryByLabelText('Reason')).toBeNull();
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Post deleted', { exact: true })).toBeInTheDocument();
  expect(requests('DELETE /api/forum/posts/p2')).toHaveLength(1);
});

test('who deletes their thread is led back to the forum', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ roles: ['member'] });
  server.use(
    http.get('/api/forum/threads/{id}/posts', () => json([post({ author: me, canDelete: true })])),
    http.delete('/api/forum/posts/{id}', nothing),
  );
  const { user, router } = renderApp('/forum/thread/t1');
  await user.click(await screen.findByRole('button', { name: `More about the post by ${USER.name}` }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Delete this thread?' })).getByRole('button', { name: 'Delete' }),
  );
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/forum'));
  expect(await screen.findByText('Thread deleted', { exact: true })).toBeInTheDocument();
});

test('what is being written under a page stays while another page comes', async () => {
  signIn();
  server.use(
    http.get('/api/forum/threads/{id}/posts', () =>
      json([post()], { headers: { Link: '</x?cursor=later>; rel="next"' } }),
    ),
  );
  const { user } = renderApp('/forum/thread/t1');
  const box = await screen.findByLabelText('Your reply', { selector: 'textarea' });
  await user.type(box, 'Half a thought');
  await user.click(screen.getAllByRole('link', { name: 'Later posts' })[0] as HTMLElement);
  await vi.waitFor(() => expect(requests('GET /api/forum/threads/t1/posts').at(-1)).toContain('cursor=later'));
  expect(box).toBeInTheDocument();
  expect(box).toHaveValue('Half a thought');
});

test('pages of a long thread have addresses of their own', async () => {
  server.use(
    http.get('/api/forum/threads/{id}/posts', () =>
      json([post()], {
        headers: {
          Link: '</api/forum/threads/t1/posts?limit=20&cursor=later>; rel="next", </x?cursor=earlier>; rel="prev"',
        },
      }),
    ),
  );
  const { user, router } = renderApp('/forum/thread/t1?cursor=here');
  const [pages] = await screen.findAllByRole('navigation', { name: 'Pages of the thread' });
  expect(within(pages as HTMLElement).getByRole('link', { name: 'Earlier posts' })).toHaveAttribute(
    'href',
    '/forum/thread/t1?cursor=earlier',
  );
  await user.click(within(pages as HTMLElement).getByRole('link', { name: 'Later posts' }));
  await vi.waitFor(() => expect(requests('GET /api/forum/threads/t1/posts').at(-1)).toContain('cursor=later'));
  router.history.back();
  await vi.waitFor(() => expect(router.state.location.search).toEqual({ cursor: 'here' }));
});

test('what a member has seen is read, and they can go back to where they stopped', async () => {
  signIn();
  server.use(http.get('/api/forum/threads/{id}', () => json(thread({ unread: true, lastReadPostId: 'p1' }))));
  renderApp('/forum/thread/t1');
  expect(await screen.findByRole('link', { name: 'Jump to where you left off' })).toHaveAttribute(
    'href',
    '/forum/thread/t1?post=p1',
  );
  await vi.waitFor(() => expect(sent('POST /api/forum/threads/t1/read')).toEqual({ position: 11 }));
});

test('moderators pin, lock and move with a reason', async () => {
  signIn();
  server.use(
    http.post('/api/admin/forum/threads/{id}/lock', nothing),
    http.post('/api/admin/forum/threads/{id}/move', nothing),
  );
  const { user } = renderApp('/forum/thread/t1');
  await user.click(await screen.findByRole('button', { name: 'Moderate' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Lock' }));
  await user.type(await screen.findByLabelText('Reason (optional)'), 'heated');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Lock' }));
  expect(await screen.findByText('Thread locked', { exact: true })).toBeInTheDocument();
  expect(sent('POST /api/admin/forum/threads/t1/lock')).toEqual({ reason: 'heated' });
  await user.click(screen.getByRole('button', { name: 'Moderate' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Move' }));
  expect(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Move' })).toBeDisabled();
  await user.selectOptions(screen.getByLabelText('Category'), 'Case Studies');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Move' }));
  await vi.waitFor(() =>
    expect(sent('POST /api/admin/forum/threads/t1/move')).toEqual({ categoryId: 'c-case-studies', reason: '' }),
  );
});

test('the queue: approve, dismiss, delete with a reason, suspend', async () => {
  signIn();
  const held = post({
    id: 'p8',
    state: 'held',
    author: author({ name: 'Nýr' }),
    text: `Look at https://shop.example${'\n\nAnd on.'.repeat(20)}`,
  });
  server.use(
    http.get('/api/admin/forum/queue', () =>
      json([
        { post: held, threadTitle: 'Shops', waitsFor: 'approval', waitingSince: '2026-11-20T10:00:00Z', flags: [] },
        {
          post: post({ id: 'p7', state: 'hidden' }),
          threadTitle: 'Fights',
          waitsFor: 'flags',
          waitingSince: '2026-11-20T11:00:00Z',
          flags: [{ reason: 'abusive', note: 'rude', by: author({ name: 'Jón' }), at: '2026-11-20T11:00:00Z' }],
        },
      ]),
    ),
    http.post('/api/admin/forum/posts/{id}/approve', nothing),
    http.post('/api/admin/forum/posts/{id}/dismiss-flags', nothing),
    http.post('/api/admin/forum/posts/{id}/delete', nothing),
    http.post('/api/admin/forum/members/{id}/suspend', nothing),
  );
  const { user } = renderApp('/forum/moderation');
  const first = within(await screen.findByRole('article', { name: 'Post by Nýr in Shops' }));
  expect(first.getByRole('list', { name: 'Links' })).toHaveTextContent('https://shop.example');
  await user.click(first.getByRole('button', { name: 'Show all' }));
  expect(first.queryByRole('button', { name: 'Show all' })).not.toBeInTheDocument();
  await user.click(first.getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('Post approved', { exact: true })).toBeInTheDocument();
  const second = within(screen.getByRole('article', { name: 'Post by Embla in Fights' }));
  expect(second.getByRole('list', { name: 'Reports' })).toHaveTextContent('Abusive by Jón, 1 hour ago: rude');
  await user.click(second.getByRole('button', { name: 'Dismiss reports' }));
  await vi.waitFor(() => expect(requests('POST /api/admin/forum/posts/p7/dismiss-flags')).toHaveLength(1));
  await user.click(second.getByRole('button', { name: 'Delete' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete this thread?' }));
  await user.type(dialog.getByLabelText('Reason'), 'spam');
  await user.click(dialog.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(sent('POST /api/admin/forum/posts/p7/delete')).toEqual({ reason: 'spam' }));
  await user.click(first.getByRole('button', { name: 'Suspend author' }));
  const suspend = within(await screen.findByRole('dialog', { name: 'Suspend Nýr' }));
  await user.selectOptions(suspend.getByLabelText('Duration'), '7 days');
  await user.type(suspend.getByLabelText('Reason'), 'shops');
  await user.click(suspend.getByRole('button', { name: 'Suspend' }));
  await vi.waitFor(() =>
    expect(sent('POST /api/admin/forum/members/a-embla/suspend')).toMatchObject({
      reason: 'shops',
      until: expect.stringMatching(/^2026-11-27T/),
    }),
  );
});

test('the log is open to everybody', async () => {
  server.use(
    http.get('/api/forum/log', () =>
      json([
        {
          id: 1,
          action: 'reports_dismissed',
          threadId: 't1',
          postId: 'p1',
          title: 'Fights',
          member: author(),
          by: null,
          reason: '',
          at: '2026-11-20T11:00:00Z',
        },
      ]),
    ),
  );
  renderApp('/forum/log');
  expect(await screen.findByText('Reports dismissed')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Fights' })).toHaveAttribute('href', '/forum/thread/t1?post=p1');
});

test('a member’s profile: figures and posts; nothing private', async () => {
  server.use(
    http.get('/api/forum/members/{handle}', () =>
      json({
        ...author(),
        joinedAt: '2026-01-05T00:00:00Z',
        posts: 31,
        threads: 4,
        likesReceived: 17,
        suspendedUntil: null,
      }),
    ),
    http.get('/api/forum/members/{handle}/posts', () => json([post()])),
  );
  renderApp('/forum/member/embla');
  expect(await screen.findByRole('heading', { level: 1, name: 'Embla' })).toBeInTheDocument();
  expect(screen.getByText('Joined January 2026')).toBeInTheDocument();
  expect(await screen.findByRole('link', { name: 'Does 30 days beat 90?' })).toHaveAttribute(
    'href',
    '/forum/thread/t1?post=p1',
  );
});
