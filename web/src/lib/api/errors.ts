import type { components } from './schema';

export type Problem = components['schemas']['Problem'];

/** A rejected or failed request. `message` can be shown to the user. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The text of an answer that gave no message. */
  readonly plain: string;

  constructor(status: number, message: string, code = '', fields: Record<string, string> = {}, plain = '') {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.plain = plain;
  }
}

/** What an answer that is not ok means: the problem's own message, else "status: text". */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const problem = parseProblem(text);
  // A page in HTML comes from something in between, never from the API: its words are not for people.
  const plain = /^\s*</.test(text) ? '' : text;
  const said = problem?.message ?? problem?.error;
  const message = said ?? `${response.status}: ${plain || response.statusText}`;
  const fields = Object.fromEntries((problem?.errors ?? []).map((item) => [item.field, item.message]));
  return new ApiError(
    response.status,
    message + whenAgain(response, message),
    problem?.code,
    fields,
    said === undefined ? plain : '',
  );
}

const MINUTE_S = 60;
const HOUR_S = 3600;
const SHORT_S = 5;

/** For 429: when to retry, unless the message says so. */
function whenAgain(response: Response, message: string): string {
  const seconds = Number(response.headers.get('Retry-After'));
  if (response.status !== 429 || !(seconds > SHORT_S) || /\d+ seconds/.test(message)) return '';
  const [size, unit] =
    seconds < 2 * MINUTE_S ? [1, 'seconds'] : seconds < 2 * HOUR_S ? [MINUTE_S, 'minutes'] : [HOUR_S, 'hours'];
  return ` Try again in ${Math.ceil(seconds / size)} ${unit}.`;
}

/** Whether there is nothing at the id that an address names. The API rejects a malformed id with 422; people see the same
 *  404 page for both. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && [404, 422].includes(error.status);

/** The same request would be refused again: it has to change first. */
export const isFinal = (error: unknown): boolean => error instanceof ApiError && [400, 422].includes(error.status);

export function messageOf(error: unknown, fallback = 'Something went wrong. Please try again.'): string {
  if (error instanceof TypeError) return 'The server cannot be reached. Check your connection and try again.';
  return error instanceof Error && error.message ? error.message : fallback;
}

function parseProblem(text: string): (Partial<Problem> & { error?: string }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Partial<Problem>) : undefined;
  } catch {
    return undefined;
  }
}
