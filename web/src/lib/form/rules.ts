// The rules of a form's fields: the bounds that the OpenAPI document has for a request, and the product's own rules.
import type { Bounds } from '@/lib/api/request';

/** What is wrong with a text, in the product's own words; it stands in place of the document's bounds. */
export type Check = (text: string) => string | undefined;
/** A check of a value; or tighter bounds, and the sentence for what is missing. */
export type Rule<T> = ((value: T) => string | undefined) | (Bounds & { readonly missing?: string });
export type BoundsOf = Readonly<Record<string, Bounds | undefined>>;
export type RulesOf = Readonly<Record<string, Rule<never> | undefined>>;

/** The values with their texts trimmed, unless they are secrets. */
export const trimmed = <V extends object>(values: V): V =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && !/password/i.test(name) ? value.trim() : value,
    ]),
  ) as V;

/** What is wrong with each value, by its name; what is no text passes unless a check has something against it. */
export function faultsIn(values: object, bounds: BoundsOf, rules: RulesOf): Record<string, string> {
  const given = trimmed(values);
  const faults = Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const message = faultIn(value, bounds[name], rules[name]);
    return message ? [[name, message] as const] : [];
  });
  return Object.fromEntries(faults);
}

/** What an input is given of its bounds. */
export function limitsOf(name: string, bounds: BoundsOf, rules: RulesOf) {
  const rule = rules[name];
  const { required, maxLength, minimum, maximum }: Bounds =
    typeof rule === 'function' ? {} : { ...bounds[name], ...rule };
  return { required, maxLength, min: minimum, max: maximum };
}

function faultIn(value: unknown, bounds: Bounds | undefined, rule: RulesOf[string]) {
  if (typeof rule === 'function') return rule(value as never);
  return typeof value === 'string' ? faultOf(value, { ...bounds, ...rule }) : undefined;
}

/** An optional field may stay empty. */
function faultOf(text: string, { required, missing, ...bounds }: Bounds & { missing?: string }): string | undefined {
  if (text === '') return required || missing ? (missing ?? 'Please fill in this field') : undefined;
  const { minLength = 0, maxLength = Infinity, pattern } = bounds;
  if (text.length < minLength) return `Please use at least ${minLength.toLocaleString('en')} characters`;
  if (text.length > maxLength) return `Please use at most ${maxLength.toLocaleString('en')} characters`;
  if (pattern && !new RegExp(pattern, 'u').test(text)) return 'This does not have the right format';
  return numberFaultOf(text, bounds);
}

function numberFaultOf(text: string, { minimum, maximum }: Bounds): string | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  const number = Number(text);
  if (Number.isNaN(number)) return 'Please enter a number';
  if (minimum !== undefined && number < minimum) return `Please enter ${minimum.toLocaleString('en')} or more`;
  if (maximum !== undefined && number > maximum) return `Please enter ${maximum.toLocaleString('en')} or less`;
  return undefined;
}
