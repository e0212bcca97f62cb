import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { http, json, problem } from '@/test/http';
import { requests, server, state } from '@/test/server';
import * as make from '@/test/fixtures';
import { answer, api } from './client';
import { ALONE } from './combined-reads';

const websites = (signal?: AbortSignal) => answer(api.GET('/api/platform/websites', signal ? { signal } : {}));
const user = () => answer(api.GET('/api/platform/user'));
const sentToServer = () => vi.spyOn(globalThis, 'fetch');
const combined = (fetched: ReturnType<typeof sentToServer>) =>
  fetched.mock.calls.filter(([input]) => String(input instanceof Request ? input.url : input).includes('/reads?'));

describe('reads of the same moment', () => {
  it('travel in one request, each with an answer of its own', async () => {
    const fetched = sentToServer();
    const [of, account] = await Promise.all([websites(), user()]);
    expect(of.data).toEqual(state.websites);
    expect(account.data).toEqual(state.account);
    expect(combined(fetched)).toHaveLength(1);
    expect(requests('GET /api/platform/user')).toHaveLength(1);
  });

  it('travel alone where there is only one', async () => {
    const fetched = sentToServer();
    await websites();
    expect(combined(fetched)).toHaveLength(0);
  });

  it('are all that answer with JSON: the server refuses others', () => {
    interface Operation {
      readonly responses: Readonly<Record<string, { readonly content?: object }>>;
    }
    const { paths } = JSON.parse(readFileSync(join(process.cwd(), 'openapi.json'), 'utf8')) as {
      paths: Readonly<Record<string, { readonly get?: Operation }>>;
    };
    const others = Object.entries(paths).filter(
      ([path, { get }]) =>
        path.startsWith('/api/platform/') &&
        path !== '/api/platform/reads' &&
        !path.startsWith('/api/platform/auth/') && // pages that a browser goes to
        get?.responses['200'] &&
        !('application/json' in (get.responses['200'].content ?? {})),
    );
    expect(others.length).toBeGreaterThan(10);
    expect(others.map(([path]) => path).filter((path) => !ALONE.test(path))).toEqual([]);
  });

  it('fail alone', async () => {
    server.use(http.get('/api/platform/user', () => problem({ status: 503, message: 'Not now.' })));
    const [of, account] = await Promise.allSettled([websites(), user()]);
    expect(of.status).toBe('fulfilled');
    expect(account).toMatchObject({ status: 'rejected', reason: { status: 503, message: 'Not now.' } });
  });

  it('are answered as soon as each is known', async () => {
    let finish = () => {};
    const later = new Promise<void>((resolve) => (finish = resolve));
    server.use(http.get('/api/platform/user', () => later.then(() => json(make.account()))));
    const slow = user();
    expect((await websites()).data).toEqual(state.websites);
    finish();
    expect((await slow).data).toEqual(make.account());
  });

  it('carry the headers of each answer', async () => {
    server.use(
      http.get('/api/platform/websites', () =>
        json([], { headers: { 'X-As-Of': '2026-11-20T12:00:00Z', 'X-Lag-Seconds': '2' } }),
      ),
    );
    const [of, account] = await Promise.all([websites(), user()]);
    expect(of.freshness).toMatchObject({ asOf: new Date('2026-11-20T12:00:00Z'), lagSeconds: 2 });
    expect(account.freshness.asOf).toBeNull();
  });

  it('end alone when one is cancelled, and together when all are', async () => {
    server.use(http.get('/api/platform/websites', () => new Promise(() => undefined)));
    const [one, other] = [new AbortController(), new AbortController()];
    const fetched = sentToServer();
    const first = websites(one.signal);
    const second = websites(other.signal);
    await vi.waitFor(() => expect(combined(fetched)).toHaveLength(1));
    const signal = combined(fetched)[0]?.[1]?.signal;
    one.abort();
    await expect(first).rejects.toThrow();
    expect(signal?.aborted).toBe(false);
    other.abort();
    await expect(second).rejects.toThrow();
    expect(signal?.aborted).toBe(true);
  });

  it('all fail when the answer breaks off', async () => {
    server.use(http.any('*/api/platform/reads', () => json({})));
    const results = await Promise.allSettled([websites(), user()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
