// Reads that begin in the same moment travel in one request: a page of cards begins a dozen, and a browser sends six at a
// time. Each call gets an answer of its own, as soon as the server has it (query_api/kernel/combined_reads.py): its status,
// its headers, its error. Nothing else in the app knows of it.
const READS = '/api/platform/reads';
const PREFIX = '/api/platform/';
/** Streams and files are no JSON. */
export const ALONE = /\/live$|\.(csv|svg|html|pdf|txt|zip)$|\/(data|picture|export|file|result)$|\/images\//;
const MOST = 16;
/** Of a whole query; the server takes three times as much. */
const MOST_CHARACTERS = 8000;

interface Waiting {
  readonly request: Request;
  readonly address: string;
  readonly answer: (response: Response) => void;
  readonly fail: (error: unknown) => void;
}

let waiting: Waiting[] = [];

/** As `fetch`. */
export function fetchCombined(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (
    request.method !== 'GET' ||
    !pathname.startsWith(PREFIX) ||
    ALONE.test(pathname) ||
    search.length > MOST_CHARACTERS
  )
    return globalThis.fetch(request);
  return new Promise((answer, fail) => {
    if (waiting.push({ request, address: pathname + search, answer, fail }) === 1) setTimeout(send);
  });
}

function send(): void {
  const [all, groups] = [waiting, new Map<string, Waiting[][]>()];
  waiting = [];
  for (const one of all) {
    if (one.request.signal.aborted) {
      one.fail(one.request.signal.reason);
      continue;
    }
    const { headers } = one.request;
    const key = JSON.stringify([headers.get('Authorization'), headers.get('X-Wait-For')]);
    const parts = groups.get(key) ?? [];
    groups.set(key, parts);
    const last = parts.at(-1);
    if (last && fits(last, one)) last.push(one);
    else parts.push([one]);
  }
  for (const parts of groups.values()) for (const part of parts) void request(part);
}

const fits = (part: readonly Waiting[], one: Waiting): boolean =>
  part.length < MOST && addressOf([...part, one]).length <= MOST_CHARACTERS;

const addressOf = (part: readonly Waiting[]): string =>
  `${READS}?${new URLSearchParams(part.map(({ address }) => ['read', address])).toString()}`;

async function request(part: readonly Waiting[]): Promise<void> {
  const [first] = part;
  if (!first) return;
  if (part.length === 1) {
    await globalThis.fetch(first.request).then(first.answer, first.fail);
    return;
  }
  const open = new Set(part);
  const all = new AbortController();
  for (const one of part) {
    one.request.signal.addEventListener('abort', () => {
      if (!open.delete(one)) return;
      one.fail(one.request.signal.reason);
      if (open.size === 0) all.abort();
    });
  }
  const answer = (one: Waiting, response: Response) => {
    if (open.delete(one)) one.answer(response);
  };
  try {
    const address = new URL(addressOf(part), first.request.url);
    const response = await globalThis.fetch(address, { headers: first.request.headers, signal: all.signal });
    if (!response.ok || !response.body) {
      for (const one of part) answer(one, response.clone());
      return;
    }
    for await (const { read, body, ...init } of answersIn(response.body)) {
      const one = part[read];
      if (one) answer(one, new Response(body, init));
    }
    throw new TypeError('The answer broke off.');
  } catch (error) {
    for (const one of open) one.fail(error);
  }
}

interface Head {
  readonly read: number;
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** Two lines for each: what it is, and its body. */
async function* answersIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<Head & { readonly body: string }> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let head: Head | null = null;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (head) yield { ...head, body: line };
      head = head ? null : (JSON.parse(line) as Head);
    }
  }
}
