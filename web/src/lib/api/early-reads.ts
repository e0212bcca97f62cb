// The first reads of a page begin before the app is here (public/first.js). The call that would ask the same takes the
// answer up, once, if nothing has changed meanwhile that would make it another one.
interface EarlyRead {
  readonly authorization: string | null;
  readonly answer: Promise<Response>;
}

declare global {
  interface Window {
    earlyReads?: Map<string, EarlyRead>;
  }
}

/** Older responses are refetched. The clock of `performance` starts with the page. */
const KEPT_MS = 30_000;

/** The early response to a request, if there is one. */
export function takeEarlyRead(request: Request): Promise<Response> | undefined {
  if (request.method !== 'GET' || !window.earlyReads) return undefined;
  const { pathname, search } = new URL(request.url);
  const address = pathname + search;
  const read = window.earlyReads.get(address);
  if (!read) return undefined;
  window.earlyReads.delete(address);
  const sameReader = read.authorization === request.headers.get('Authorization');
  // After an own write the response must include it.
  if (!sameReader || request.headers.has('X-Wait-For') || performance.now() > KEPT_MS) return undefined;
  return read.answer.then(
    (response) => {
      request.signal.throwIfAborted();
      return response;
    },
    () => globalThis.fetch(request),
  );
}
