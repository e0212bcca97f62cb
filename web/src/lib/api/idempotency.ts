// One idempotency key per command: a repeated request without a response is the same command.
const KEPT_MS = 600_000;
const MAX_KEPT = 50;

const unanswered = new Map<string, { readonly key: string; readonly until: number }>();
const commandKeys = new WeakMap<Request, string>();

/** The `Idempotency-Key` of a POST; the previous one for the same unanswered command of the same user. */
export async function keyOf(request: Request): Promise<string> {
  const kind = request.headers.get('Content-Type') ?? 'application/json';
  if (!kind.startsWith('application/json')) return newId(); // a file: the server knows it by what it holds
  const said = [request.headers.get('Authorization'), request.url, await request.clone().text()].join('\n');
  commandKeys.set(request, said);
  const kept = unanswered.get(said);
  return kept && kept.until > Date.now() ? kept.key : newId();
}

/** The outcome is unknown. */
export function leftOpen(request: Request): void {
  const said = commandKeys.get(request);
  const key = request.headers.get('Idempotency-Key');
  if (said === undefined || !key) return;
  unanswered.delete(said);
  unanswered.set(said, { key, until: Date.now() + KEPT_MS });
  const [oldest] = unanswered.keys();
  if (unanswered.size > MAX_KEPT && oldest !== undefined) unanswered.delete(oldest);
}

export function answered(request: Request): void {
  const said = commandKeys.get(request);
  if (said !== undefined) unanswered.delete(said);
}

function newId(): string {
  // randomUUID needs a secure context; a stack on a plain-http address of the local network is not one.
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
