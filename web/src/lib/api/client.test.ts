import { expect, test, vi } from 'vitest';
import { endSession, getSession, startSession } from '@/lib/session';
import { conversion, link, USER } from '@/test/fixtures';
import { signIn } from '@/test/render';
import { http, json, problem, raw, refuse, unreachable } from '@/test/http';
import { server, state } from '@/test/server';
import { answer, api, body, cursorOf } from './client';
import { ApiError, messageOf } from './errors';

test('spec §6: calls carry the token as Bearer; unsafe ones the CSRF header and an idempotency key', async () => {
  signIn();
  server.use(
    http.post('/api/platform/conversions/{id}/approve', () =>
      json(conversion(), { headers: { 'X-Position': 'domain@41' } }),
    ),
  );
  await api.POST('/api/platform/conversions/{id}/approve', { params: { path: { id: 'c1' } }, body: {} });
  const [post] = state.seen;
  expect(post?.headers.get('Authorization')).toBe('Bearer token-1');
  expect(post?.headers.get('X-Requested-With')).toBe('althing');
  expect(post?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{32,36}$/);
});

test('a command that got no answer keeps its key until one comes; another command has another', async () => {
  signIn();
  const answers = [
    unreachable,
    () => refuse(503, 'Not now.'),
    () => refuse(409, 'Wait', 'idempotency_in_flight'),
    () => refuse(400, 'No'),
  ];
  server.use(http.post('/api/platform/links', () => answers.shift()?.() ?? json(link())));
  const send = (partnerId: string) =>
    api.POST('/api/platform/links', { body: { websiteId: 'w1', partnerId } }).catch(() => undefined);
  for (const partner of ['p1', 'p1', 'p1', 'p1', 'p1', 'p1']) await send(partner);
  await send('p2');
  const keys = state.seen.map((request) => request.headers.get('Idempotency-Key'));
  expect(new Set(keys.slice(0, 4)).size).toBe(1); // no answer, twice "not now", then refused: over
  expect(new Set(keys.slice(3)).size).toBe(4);
});

test('too many: the words say when it is possible again', async () => {
  const refused = (wait: string, message = 'Too many.') => {
    server.use(http.get('/api/platform/websites', () => problem({ status: 429, message }, { 'Retry-After': wait })));
    return body(api.GET('/api/platform/websites')).catch((error: unknown) => messageOf(error));
  };
  expect(await refused('40')).toBe('Too many. Try again in 40 seconds.');
  expect(await refused('121')).toBe('Too many. Try again in 3 minutes.');
  expect(await refused('20000')).toBe('Too many. Try again in 6 hours.');
  expect(await refused('2')).toBe('Too many.');
  expect(await refused('12', 'Please wait 12 seconds.')).toBe('Please wait 12 seconds.');
});

test('the position of a read is not waited for, nor does it take the place of that of a write', async () => {
  const later = Date.now() + 60_000;
  vi.spyOn(Date, 'now').mockReturnValue(later); // writes of other tests are long ago
  server.use(
    http.get('/api/platform/partners', () => json([], { headers: { 'X-Position': 'domain@7' } })),
    http.post('/api/platform/links', () => json(link(), { headers: { 'X-Position': 'domain@42' } })),
  );
  const waitedFor = () => state.seen.at(-1)?.headers.get('X-Wait-For');
  await api.GET('/api/platform/partners');
  await api.GET('/api/platform/websites');
  expect(waitedFor()).toBeNull();
  await api.POST('/api/platform/links', { body: { websiteId: 'w1', partnerId: 'p1' } });
  await api.GET('/api/platform/partners');
  await api.GET('/api/platform/websites');
  expect(waitedFor()).toBe('domain@42');
});

test('a read after a write waits for that write', async () => {
  server.use(http.post('/api/platform/links', () => json(link(), { headers: { 'X-Position': 'domain@42' } })));
  await api.POST('/api/platform/links', { body: { websiteId: 'w1', partnerId: 'p1' } });
  await body(api.GET('/api/platform/websites'));
  expect(state.seen[1]?.headers.get('X-Wait-For')).toBe('domain@42');
});

test('after a sign-out no read waits for what was written before it', async () => {
  server.use(http.post('/api/platform/links', () => json(link(), { headers: { 'X-Position': 'domain@42' } })));
  signIn();
  await api.POST('/api/platform/links', { body: { websiteId: 'w1', partnerId: 'p1' } });
  endSession();
  await api.GET('/api/public/early-access');
  expect(state.seen.at(-1)?.headers.get('X-Wait-For')).toBeNull();
});

test('freshness and the next page come from the headers', async () => {
  server.use(
    http.get('/api/platform/conversions', () =>
      json([], {
        headers: {
          'X-As-Of': '2026-11-20T12:00:00Z',
          'X-Lag-Seconds': '1.5',
          'X-Stale': '1',
          Link: '</api/platform/conversions?cursor=abc%3D&limit=5>; rel="next"',
        },
      }),
    ),
  );
  const result = await answer(api.GET('/api/platform/conversions', { params: { query: { websiteId: 'w1' } } }));
  expect(result.freshness).toEqual({ asOf: new Date('2026-11-20T12:00:00Z'), lagSeconds: 1.5, stale: true });
  expect(result.nextCursor).toBe('abc=');
  expect(result.previousCursor).toBeNull();
  expect(cursorOf(null, 'next')).toBeNull();
  expect(cursorOf('</x?cursor=1>; rel="prev"', 'next')).toBeNull();
  expect(cursorOf('</x?cursor=1>; rel="prev", </x?cursor=2>; rel="next"', 'prev')).toBe('1');
});

test('spec §7: every call sends cookies; a body in JSON, and its type, only where there is a body', async () => {
  const sent: (string | null)[][] = [];
  const keep = ({ request }: { request: Request }) => {
    sent.push([request.method, request.credentials, request.headers.get('Content-Type')]);
    return refuse(503, 'Not now.');
  };
  server.use(
    http.get('/api/platform/websites', keep),
    http.post('/api/platform/login', keep),
    http.post('/api/platform/logout', keep),
  );
  for (const call of [
    () => api.GET('/api/platform/websites'),
    () => api.POST('/api/platform/login', { body: { email: 'a', password: 'b' } }),
    () => api.POST('/api/platform/logout'),
  ])
    await call().catch(() => undefined);
  expect(sent).toEqual([
    ['GET', 'same-origin', null],
    ['POST', 'same-origin', 'application/json'],
    ['POST', 'same-origin', null],
  ]);
});

test('a refusal becomes its message and its fields', async () => {
  server.use(
    http.get('/api/platform/websites', () =>
      refuse(400, 'This domain is taken', 'taken', [{ field: 'domain', message: 'Taken' }]),
    ),
  );
  const error = await body(api.GET('/api/platform/websites')).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 400,
    code: 'taken',
    message: 'This domain is taken',
    fields: { domain: 'Taken' },
  });
});

test('spec §8: an answer without a problem becomes "status: text"', async () => {
  server.use(http.get('/api/platform/websites', () => raw('upstream is gone', { status: 502 })));
  await expect(body(api.GET('/api/platform/websites'))).rejects.toThrow('502: upstream is gone');
  server.use(
    http.get('/api/platform/websites', () =>
      raw('<html><h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' }),
    ),
  );
  await expect(body(api.GET('/api/platform/websites'))).rejects.toThrow(/^502: Bad Gateway$/);
});

test('spec §8: 401 is an error and ends the session, but not at sign-in', async () => {
  signIn();
  server.use(http.post('/api/platform/login', () => refuse(401, 'Invalid credentials')));
  await expect(body(api.POST('/api/platform/login', { body: { email: 'a', password: 'b' } }))).rejects.toThrow(
    'Invalid credentials',
  );
  expect(getSession()).not.toBeNull();
  server.use(http.get('/api/platform/user', () => refuse(401, 'Please sign in.')));
  await expect(body(api.GET('/api/platform/user'))).rejects.toThrow('Please sign in.');
  expect(getSession()).toBeNull();
  expect(localStorage.getItem('authToken')).toBeNull();
});

test('a late 401 of the session before does not end the one that began meanwhile', async () => {
  signIn();
  server.use(
    http.get('/api/platform/user', () => {
      startSession({ token: 'token-2', user: { ...USER, id: 'u2' } });
      return refuse(401, 'Please sign in.');
    }),
  );
  await expect(body(api.GET('/api/platform/user'))).rejects.toThrow('Please sign in.');
  expect(getSession()?.token).toBe('token-2');
});

test('an unreachable server is named in words', () => {
  expect(messageOf(new TypeError('Failed to fetch'))).toBe(
    'The server cannot be reached. Check your connection and try again.',
  );
});
