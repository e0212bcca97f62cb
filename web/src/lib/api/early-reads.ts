// The first reads of a page begin before the app is here (public/first.js). The call that would ask the same takes the
// answer up, once, if nothing has changed meanwhile that would make it another one.
interface Begun {
  readonly authorization: string | null;
  readonly answer: Promise<Response>;
}

declare global {
  interface Window {
    begunReads?: Map<string, Begun>;
  }
}

/** An answer older than this is asked for anew. The page itself began when the clock of `performance` did. */
const KEPT_MS = 30_000;

/** The answer to a request, if it is under way already. */
export function begun(request: Request): Promise<Response> | undefined {
  if (request.method !== 'GET' || !window.begunReads) return undefined;
  const { pathname, search } = new URL(request.url);
  const address = pathname + search;
  const read = window.begunReads.get(address);
  if (!read) return undefined;
  window.begunReads.delete(address);
  const sameReader = read.authorization === request.headers.get('Authorization');
  // After one's own write the answer must include it.
  if (!sameReader || request.headers.has('X-Wait-For') || performance.now() > KEPT_MS) return undefined;
  return read.answer.then(
    (response) => {
      request.signal.throwIfAborted();
      return response;
    },
    () => globalThis.fetch(request),
  );
}
