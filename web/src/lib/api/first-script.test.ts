// public/first.js: which reads it begins before the app is here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const SCRIPT = readFileSync(join(process.cwd(), 'public/first.js'), 'utf8');
const WEBSITES = '/api/platform/websites';
const READS = `${WEBSITES} /api/platform/links?websiteId=$website&limit=9 getting-started:/api/platform/invite-codes`;

let sent: string[] = [];
let answerWebsites: (response: Response) => void;

beforeEach(() => {
  sent = [];
  const websites = new Promise<Response>((resolve) => (answerWebsites = resolve));
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const url = String(input);
    sent.push(url);
    return url === WEBSITES ? websites : Promise.resolve(new Response('[]'));
  });
  localStorage.setItem('authToken', 'token-1');
  localStorage.setItem('user', JSON.stringify({ id: 'u1' }));
});
afterEach(() => {
  delete window.earlyReads;
  Reflect.deleteProperty(document, 'currentScript');
  window.history.replaceState(null, '', '/');
  localStorage.clear();
});

function run(address = '/dashboard', more: Readonly<Record<string, string>> = {}) {
  window.history.replaceState(null, '', address);
  const script = document.createElement('script');
  Object.assign(script.dataset, { members: '', path: '/dashboard', reads: READS, ...more });
  Object.defineProperty(document, 'currentScript', { configurable: true, value: script });
  new Function(SCRIPT)();
}

const comes = (...ids: readonly string[]) => answerWebsites(new Response(JSON.stringify(ids.map((id) => ({ id })))));
const ofWebsite = (id: string) => `/api/platform/links?websiteId=${id}&limit=9`;

it.each([
  ['the first one', '/dashboard', undefined, 'w1'],
  ['the one of the address', '/dashboard?website=w2', 'w3', 'w2'],
  ['the remembered one', '/dashboard', 'w3', 'w3'],
  ['the first one, where the remembered one is gone', '/dashboard', 'w9', 'w1'],
])('reads of a website follow the list of websites: %s', async (_, address, remembered, wanted) => {
  if (remembered) localStorage.setItem('scope:u1', JSON.stringify({ website: remembered }));
  run(address);
  expect(sent).toEqual([WEBSITES, '/api/platform/invite-codes']);
  comes('w1', 'w2', 'w3');
  await vi.waitFor(() => expect(sent).toContain(ofWebsite(wanted)));
  await vi.waitFor(() => expect([...(window.earlyReads?.values() ?? [])].every((read) => read.came)).toBe(true));
  expect(window.earlyReads?.size).toBe(3);
});

it('begins none of a website where the page shows all of them', async () => {
  run('/dashboard', { all: '' });
  comes('w1', 'w2');
  await vi.waitFor(() => expect([...(window.earlyReads?.values() ?? [])].every((read) => read.came)).toBe(true));
  expect(sent).toEqual([WEBSITES, '/api/platform/invite-codes']);
});

it('begins those of the only website', async () => {
  run('/dashboard', { all: '' });
  comes('w1');
  await vi.waitFor(() => expect(sent).toContain(ofWebsite('w1')));
});

it('begins none of a website that the app already knows', async () => {
  run();
  const taken = window.earlyReads?.get(WEBSITES);
  window.earlyReads?.delete(WEBSITES);
  comes('w1');
  await vi.waitFor(() => expect(taken?.came).toBe(true));
  expect(sent).not.toContain(ofWebsite('w1'));
});

it('does not read for a hint that this account has put away', () => {
  localStorage.setItem('dismissed:u1:getting-started', 'yes');
  run();
  expect(sent).toEqual([WEBSITES]);
});

it('reads nothing of members where nobody is signed in', () => {
  localStorage.clear();
  run();
  expect(sent).toEqual([]);
});
