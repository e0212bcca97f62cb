// The address's query as flat text: readable, no JSON, nothing coerced. "a=1" stays the string "1".
export type FlatSearch = Record<string, string | string[]>;

/** A route's search as it is: pages read what they know of it. */
export const flat = (search: Record<string, unknown>): FlatSearch => search as FlatSearch;

export function parseSearch(query: string): FlatSearch {
  const params = new URLSearchParams(query);
  const result: FlatSearch = {};
  for (const key of new Set(params.keys())) {
    const values = params.getAll(key);
    result[key] = values.length > 1 ? values : (values[0] ?? '');
  }
  return result;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'string') params.append(key, item);
    }
  }
  const text = params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text ? `?${text}` : '';
}

export const textOf = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : undefined;
};

export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string' && item !== '');
