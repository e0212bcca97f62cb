// The first reads of a page begin before the app is here (public/first.js). The call that would ask the same takes the
// answer up, once, if nothing has changed meanwhile that would make it another one.
interface EarlyRead {
  readonly authorization: string | null;
  readonly answer: Promise<Response>;
  readonly came: boolean;
}

declare global {
  interface Window {
    earlyReads?: Map<string, EarlyRead>;
  }
}

/** Older responses are refetched. The clock of `performance` starts with the page. */
const KEPT_MS = 30_000;

let nothingShown = true;

/** Nothing is shown yet: the app is drawn for the first time. */
export const isFirstPage = (): boolean => nothingShown;

/** Whether all answers are here before anything is shown. */
export const haveEarlyReadsCome = (): boolean =>
  nothingShown && !!window.earlyReads?.size && [...window.earlyReads.values()].every((read) => read.came);

/** From now on nothing waits for early responses. */
export function endFirstPage(): void {
  nothingShown = false;
}

/** For the loader of a page: where the answers to its first reads are here before anything is shown, the page waits until
 *  they are taken up, and is drawn once, with its content. What fails is the page's to show. */
export async function withEarlyReads(take: () => Promise<unknown>): Promise<void> {
  if (haveEarlyReadsCome()) await take().catch(() => undefined);
}

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
