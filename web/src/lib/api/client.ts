// Every call to the API passes here: session, CSRF header, idempotency, and reading one's own writes.
import createClient, { type Middleware } from 'openapi-fetch';
import { endSession, getSession, watchOwner } from '@/lib/session';
import { endWebsiteSession, getWebsiteSession } from '@/lib/session/website-session';
import { exactly } from '@/lib/format/exact';
import { fetchCombined } from './combined-reads';
import { takeEarlyRead } from './early-reads';
import { ApiError, errorOf } from './errors';
import { answered, keyOf, leftOpen } from './idempotency';
import type { paths } from './schema';
import { duringSecurityCheck } from './security-check';

/** How fresh an answer is. `stale`: the server could not yet include our own last change. */
export interface Freshness {
  readonly asOf: Date | null;
  readonly lagSeconds: number | null;
  readonly stale: boolean;
}
export interface Answer<T> {
  readonly data: T;
  readonly freshness: Freshness;
  readonly nextCursor: string | null;
  /** Of lists that can be read in both directions. */
  readonly previousCursor: string | null;
  /** The first UTC day without missing events, if retention deleted earlier ones that would be in the answer. */
  readonly keptFrom: string | null;
}

interface Result<T> {
  data?: T;
  response: Response;
}

const OWN_WRITE_MS = 30_000;
const SIGN_IN_PATHS = [
  '/api/platform/login',
  '/api/platform/login/second-factor',
  '/api/platform/register',
  '/api/platform/setup',
  '/api/platform/logout',
  '/api/auth/login',
];
/** These may require a proof of work while an account is under attack. */
const BY_PASSWORD = ['/api/platform/login', '/api/auth/login'];
const MAX_PUZZLE_ROUNDS = 2;
/** These use the website session's token. */
const OF_WEBSITE = /^\/api\/(website|auth)(\/|$)/;
let lastWrite: { position: string; at: number } | null = null;
// After a sign-out, the next person has written nothing yet.
watchOwner((owner) => {
  if (owner === undefined) lastWrite = null;
});

const middleware: Middleware = {
  async onRequest({ request }) {
    const session = isOfWebsite(request) ? getWebsiteSession() : getSession();
    // A call may set its own token before there is a session.
    if (session && !request.headers.has('Authorization'))
      request.headers.set('Authorization', `Bearer ${session.token}`);
    if (request.method === 'GET') {
      if (lastWrite && Date.now() - lastWrite.at < OWN_WRITE_MS) request.headers.set('X-Wait-For', lastWrite.position);
    } else {
      request.headers.set('X-Requested-With', 'althing');
      if (request.method === 'POST') request.headers.set('Idempotency-Key', await keyOf(request));
    }
    return request;
  },
  async onResponse({ request, response }) {
    // Reads have a position too, that of what they contain: nothing has to wait for it.
    const position = request.method === 'GET' ? null : response.headers.get('X-Position');
    if (position) lastWrite = { position, at: Date.now() };
    if (response.ok) {
      answered(request);
      return exactly(response);
    }
    const error = await errorOf(response);
    if (response.status >= 500 || error.code === 'idempotency_in_flight') leftOpen(request);
    else answered(request);
    if (response.status === 401 && !SIGN_IN_PATHS.includes(new URL(request.url).pathname)) {
      const website = isOfWebsite(request);
      // A late 401 of the previous session must not end the current one.
      const token = (website ? getWebsiteSession() : getSession())?.token;
      if (request.headers.get('Authorization') === `Bearer ${token}`) {
        if (website) endWebsiteSession();
        else endSession('expired');
      }
    }
    throw error;
  },
  onError({ request }) {
    leftOpen(request);
  },
};

export const api = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'same-origin',
  fetch: (request) =>
    takeEarlyRead(request) ??
    (BY_PASSWORD.includes(new URL(request.url).pathname) ? fetchWithWork(request) : fetchCombined(request)),
});
api.use(middleware);

async function fetchWithWork(request: Request): Promise<Response> {
  let response = await globalThis.fetch(request.clone());
  for (let time = 0; time < MAX_PUZZLE_ROUNDS && response.status === 429; time++) {
    const { solve, workOf } = await import('./proof-of-work');
    const work = workOf(
      await response
        .clone()
        .json()
        .catch(() => null),
    );
    if (!work) break;
    const again = request.clone();
    again.headers.set('Proof-Of-Work', await duringSecurityCheck(() => solve(work)));
    response = await globalThis.fetch(again);
  }
  return response;
}

const isOfWebsite = (request: Request): boolean => OF_WEBSITE.test(new URL(request.url).pathname);

/** The body of an answer, with what its headers say. */
export async function answer<T>(call: Promise<Result<T>>): Promise<Answer<T>> {
  const { data, response } = await call;
  if (data === undefined) throw new ApiError(response.status, 'The server sent an empty response.');
  const asOf = response.headers.get('X-As-Of');
  const lag = response.headers.get('X-Lag-Seconds');
  return {
    data,
    freshness: {
      asOf: asOf ? new Date(asOf) : null,
      lagSeconds: lag === null ? null : Number(lag),
      stale: response.headers.get('X-Stale') === '1',
    },
    nextCursor: cursorOf(response.headers.get('Link'), 'next'),
    previousCursor: cursorOf(response.headers.get('Link'), 'prev'),
    keptFrom: response.headers.get('X-Events-Kept-From'),
  };
}

export async function body<T>(call: Promise<Result<T>>): Promise<T> {
  return (await answer(call)).data;
}

/** For calls that answer without a body. */
export async function done(call: Promise<{ response: Response }>): Promise<void> {
  await call;
}

export function cursorOf(link: string | null, rel: 'next' | 'prev'): string | null {
  const found = link?.split(',').find((part) => new RegExp(`;\\s*rel="?${rel}"?`).test(part));
  const target = found?.match(/<([^>]*)>/)?.[1];
  return target ? new URL(target, window.location.origin).searchParams.get('cursor') : null;
}
