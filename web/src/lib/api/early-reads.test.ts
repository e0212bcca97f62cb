import { afterEach, describe, expect, it, vi } from 'vitest';
import { begun } from './begun';

const URL_OF = (path: string) => `${window.location.origin}${path}`;
const get = (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) => new Request(URL_OF(path), { headers, ...(signal ? { signal } : {}) });

function begin(path: string, answer: Promise<Response>, authorization: string | null = null) {
  answer.catch(() => undefined);
  window.begunReads = new Map([[path, { authorization, answer }]]);
}

afterEach(() => {
  delete window.begunReads;
});

describe('a read that began before the app', () => {
  it('is taken up by the call that asks the same, once', async () => {
    begin('/api/forum/threads?limit=30', Promise.resolve(new Response('first')));
    expect(await (await begun(get('/api/forum/threads?limit=30')))?.text()).toBe('first');
    expect(begun(get('/api/forum/threads?limit=30'))).toBeUndefined();
  });

  it('is not taken up by another question or another method', () => {
    begin('/api/forum/threads', Promise.resolve(new Response('first')));
    expect(begun(get('/api/forum/threads?limit=30'))).toBeUndefined();
    expect(begun(new Request(URL_OF('/api/forum/threads'), { method: 'POST', body: '{}' }))).toBeUndefined();
  });

  it('is not taken up by another person, nor by nobody', () => {
    begin('/api/platform/websites', Promise.resolve(new Response('hers')), 'Bearer hers');
    expect(begun(get('/api/platform/websites', { Authorization: 'Bearer his' }))).toBeUndefined();
    begin('/api/platform/websites', Promise.resolve(new Response('hers')), 'Bearer hers');
    expect(begun(get('/api/platform/websites'))).toBeUndefined();
    begin('/api/platform/websites', Promise.resolve(new Response('hers')), 'Bearer hers');
    expect(begun(get('/api/platform/websites', { Authorization: 'Bearer hers' }))).toBeDefined();
  });

  it('is asked for anew after an own write', () => {
    begin('/api/platform/websites', Promise.resolve(new Response('before')));
    expect(begun(get('/api/platform/websites', { 'X-Wait-For': 'domain@12' }))).toBeUndefined();
  });

  it('is asked for anew when the page is no longer young', () => {
    begin('/api/platform/websites', Promise.resolve(new Response('old')));
    vi.spyOn(performance, 'now').mockReturnValue(60_000);
    expect(begun(get('/api/platform/websites'))).toBeUndefined();
  });

  it('is asked for again when it did not reach the server', async () => {
    const again = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('second'));
    begin('/api/platform/websites', Promise.reject(new TypeError('Failed to fetch')));
    expect(await (await begun(get('/api/platform/websites')))?.text()).toBe('second');
    expect(again).toHaveBeenCalledOnce();
  });

  it('is given up by a call that is given up', async () => {
    begin('/api/platform/websites', Promise.resolve(new Response('late')));
    const control = new AbortController();
    const answer = begun(get('/api/platform/websites', {}, control.signal));
    control.abort();
    await expect(answer).rejects.toThrow();
  });
});
