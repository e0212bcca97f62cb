// Numbers of the API that a double cannot hold, such as very large sums of money, keep all of their digits.

/** Counts, compares and charts as the nearest number; as text, in files and as money it has every digit. */
export class Exact extends Number {
  readonly digits: string;

  constructor(digits: string) {
    super(digits);
    this.digits = digits;
  }

  override toString(): string {
    return this.digits;
  }
}

/** `JSON.parse`, with an `Exact` for each number that a double would change. */
export function parseExactly(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  // A new random marker each time, so that no user text can collide with it.
  const mark = crypto.randomUUID();
  const marked = text.replace(TOKEN, (token) =>
    token.startsWith('"') || isMarker(token) ? token : `{"${mark}":"${token}"}`,
  );
  return JSON.parse(marked, (_, value: unknown) => {
    const digits = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[mark] : undefined;
    return typeof digits === 'string' ? new Exact(digits) : value;
  });
}

/** The same answer, whose JSON is read exactly. */
export async function exactly(response: Response): Promise<Response> {
  if (!response.body || !response.headers.get('Content-Type')?.startsWith('application/json')) return response;
  const text = await response.text();
  const { status, statusText, headers } = response;
  const read = new Response(text, { status, statusText, headers });
  if (!LONG.test(text)) return read;
  // With a content length the client calls json() instead of parsing the text.
  read.headers.set('Content-Length', String(text.length));
  Object.defineProperty(read, 'json', { value: () => Promise.resolve(parseExactly(text)) });
  return read;
}

const LONG = /\d[\d.]{15}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const isMarker = (token: string): boolean =>
  /[eE]/.test(token) || token.length < 16 || plain(token) === plain(String(Number(token)));

const plain = (token: string): string => (token.includes('.') ? token.replace(/\.?0+$/, '') : token);
