// How a value is named in a filter: a comma separates values, a leading "-" means not, "(none)" is the empty value, and
// a backslash takes the next sign as it is. The state and the address hold names, people see values.
export const NONE = '(none)';
const ESCAPED = /\\([,\-(\\\s])/g;

/** The filter value of a name. */
export function named(value: string): string {
  if (value === '') return NONE;
  const text = value.replace(/[\\,]/g, '\\$&').replace(/(?<=.)\s$/su, '\\$&');
  return /^[-\s]/u.test(text) || text === NONE ? `\\${text}` : text;
}

/** Parses comma-separated values that a user typed. */
export function typed(text: string): readonly string[] {
  const parts = text.match(/(?:\\[^]|[^\\,]|\\$)+/g) ?? [];
  return parts
    .map(stripped)
    .filter((part) => part !== '')
    .map((part) => (part === NONE ? NONE : named(shown(part))));
}

/** The display name of a filter value. */
export const shown = (name: string): string => name.replace(ESCAPED, '$1');

/** Without the blanks around it, but for one that a backslash keeps. */
function stripped(part: string): string {
  const text = part.trimStart();
  const end = text.trimEnd();
  return end.length < text.length && /(?:^|[^\\])(?:\\\\)*\\$/.test(end) ? text.slice(0, end.length + 1) : end;
}
