import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endFirstPage, haveEarlyReadsCome, takeEarlyRead, withEarlyReads } from './early-reads';

const URL_OF = (path: string) => `${window.location.origin}${path}`;
const get = (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  new Request(URL_OF(path), { headers, ...(signal ? { signal } : {}) });

function begin(path: string, answer: Promise<Response>, authorization: string | null = null, came = true) {
  answer.catch(() => undefined);
  window.earlyReads = new Map([[path, { authorization, answer, came }]]);
}

// The page of these tests is as old as the worker that runs them.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(1000);
});
afterEach(() => {
  delete window.earlyReads;
});

describe('a read that began before the app', () => {
  it('is taken up by the call that asks the same, once', async () => {
    begin('/api/forum/threads?limit=30', Promise.resolve(new Response('first')));
    expect(await (await takeEarlyRead(get('/api/forum/threads?limit=30')))?.text()).toBe('first');
    expect(takeEarlyRead(get('/api/forum/threads?limit=30'))).toBeUndefined();
  });

  it('is not taken up by another question or another method', () => {
    begin('/api/forum/threads', Promise.resolve(new Response('first')));
    expect(takeEarlyRead(get('/api/forum/threads?limit=30'))).toBeUndefined();
    expect(takeEarlyRead(new Request(URL_OF('/api/forum/threads'), { method: 'POST', body: '{}' }))).toBeUndefined();
  });

  it('is not taken up by another person, nor by nobody', () => {
    begin('/api/platform/websites', Promise.resolve(new Response('hers')), 'Bearer hers');
    expect(takeEarlyRead(get('/api/platform/websites', { Authorization: 'Bearer his' }))).toBeUndefined();
    begin('/api/platform/websites', Promise.resolve(new Response('hers')), 'Bearer hers');
    expect(takeEarlyRead(get('/api/platform/websites'))).toBeUndefined();
    begin('/api/platform/websites', Promise.resolve(new Response('hers')), 'Bearer hers');
    expect(takeEarlyRead(get('/api/platform/websites', { Authorization: 'Bearer hers' }))).toBeDefined();
  });

  it('is requested again after an own write', () => {
    begin('/api/platform/websites', Promise.resolve(new Response('before')));
    expect(takeEarlyRead(get('/api/platform/websites', { 'X-Wait-For': 'domain@12' }))).toBeUndefined();
  });

  it('is requested again when the page is no longer young', () => {
    begin('/api/platform/websites', Promise.resolve(new Response('old')));
    vi.spyOn(performance, 'now').mockReturnValue(60_000);
    expect(takeEarlyRead(get('/api/platform/websites'))).toBeUndefined();
  });

  it('is requested again when it did not reach the server', async () => {
    const again = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('second'));
    begin('/api/platform/websites', Promise.reject(new TypeError('Failed to fetch')));
    expect(await (await takeEarlyRead(get('/api/platform/websites')))?.text()).toBe('second');
    expect(again).toHaveBeenCalledOnce();
  });

  it('is aborted by a call that is aborted', async () => {
    begin('/api/platform/websites', Promise.resolve(new Response('late')));
    const control = new AbortController();
    const answer = takeEarlyRead(get('/api/platform/websites', {}, control.signal));
    control.abort();
    await expect(answer).rejects.toThrow();
  });
});

// In this order: what is ended does not begin again.
describe('the first page', () => {
  it('takes up the answers before it is drawn, if all are here', async () => {
    const take = vi.fn(() => Promise.resolve());
    begin('/api/forum/categories', Promise.resolve(new Response('[]')));
    expect(haveEarlyReadsCome()).toBe(true);
    await withEarlyReads(take);
    expect(take).toHaveBeenCalledOnce();
  });

  it('is drawn although one of them is an error', async () => {
    begin('/api/forum/categories', Promise.resolve(new Response('', { status: 503 })));
    await expect(withEarlyReads(() => Promise.reject(new Error('Not now')))).resolves.toBeUndefined();
  });

  it.each([
    ['one is still on its way', () => begin('/api/forum/categories', new Promise(() => undefined), null, false)],
    ['none was begun', () => delete window.earlyReads],
  ])('waits for nothing if %s', async (_, given) => {
    const take = vi.fn(() => Promise.resolve());
    given();
    await withEarlyReads(take);
    expect(haveEarlyReadsCome()).toBe(false);
    expect(take).not.toHaveBeenCalled();
  });

  it('is the only one that takes up anything before it is drawn', async () => {
    const take = vi.fn(() => Promise.resolve());
    begin('/api/forum/categories', Promise.resolve(new Response('[]')));
    endFirstPage();
    await withEarlyReads(take);
    expect(take).not.toHaveBeenCalled();
  });
});
