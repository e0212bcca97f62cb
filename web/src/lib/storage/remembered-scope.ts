// What a person looks at: the website and the time range. The address of a page says it; here it is kept for the next
// page and the next visit, for each account of this browser. Values are texts of the address: a range that a page does
// not know is the page's to refuse.
import { textOf, type FlatSearch } from '@/lib/url/search';

/** The parameters of the address that belong together. */
const PARAMETERS = { website: ['website'], range: ['range', 'from', 'to'] } as const;
export type Scope = keyof typeof PARAMETERS;

const MAX_LENGTH = 100;
const keyOf = (owner: string): string => `scope:${owner}`;

/** The remembered parameters. */
export function rememberedScope(owner: string): Readonly<Record<string, string>> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(owner)) ?? '{}');
    if (typeof found !== 'object' || found === null) return {};
    const known = Object.values(PARAMETERS).flat() as readonly string[];
    return Object.fromEntries(
      Object.entries(found).filter((entry): entry is [string, string] => known.includes(entry[0]) && isShort(entry[1])),
    );
  } catch {
    return {};
  }
}

/** Takes this scope from the address: what it lacks is forgotten. */
export function rememberScope(owner: string, scope: Scope, search: FlatSearch): void {
  const rest = Object.entries(rememberedScope(owner)).filter(([name]) => !isOf(scope, name));
  const taken = PARAMETERS[scope]
    .map((name) => [name, textOf(search[name])] as const)
    .filter(([, value]) => isShort(value));
  try {
    localStorage.setItem(keyOf(owner), JSON.stringify(Object.fromEntries([...rest, ...taken])));
  } catch {
    // Storage is full or blocked: the choice then lasts as long as the address.
  }
}

/** The address with what it lacks of these scopes; null if it lacks nothing that is remembered. */
export function withRemembered(owner: string, scopes: readonly Scope[], search: FlatSearch): FlatSearch | null {
  const remembered = rememberedScope(owner);
  const lacking = scopes
    .filter((scope) => PARAMETERS[scope].every((name) => textOf(search[name]) === undefined))
    .flatMap((scope) => Object.entries(remembered).filter(([name]) => isOf(scope, name)));
  return lacking.length > 0 ? { ...search, ...Object.fromEntries(lacking) } : null;
}

/** Whether the address names days of its own, which a link brings and nobody chose. */
export const namesDays = (search: FlatSearch): boolean => textOf(search['from']) !== undefined;

const isOf = (scope: Scope, name: string): boolean => (PARAMETERS[scope] as readonly string[]).includes(name);
const isShort = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH;
