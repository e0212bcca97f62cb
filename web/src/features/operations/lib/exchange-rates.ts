import { daysBetween } from '@/lib/dates';
import { countOf, formatCount } from '@/lib/format';
import type { Imported } from '../api/exchange-rates';

/** Days after which a rate is marked as old: a source that works has none older than a long weekend. */
export const OLD_DAYS = 7;
/** Rates of one request; a long file is sent in parts. */
export const PART = 500;
export const MAX_RATES = 20_000;
export const MAX_BYTES = 2_000_000;

export const SOURCES: Readonly<Record<string, string>> = { ecb: 'ECB', hand: 'By hand', import: 'CSV import' };

export type Preview = Omit<Imported, 'applied'>;
export type Outcome = Imported['lines'][number];

/** How old a rate is, in words; a day that is still to come is named as such. */
export function ageOf(on: string, today: string): { readonly text: string; readonly old: boolean } {
  const days = daysBetween(on, today) - 1; // both days count in it
  if (days < 0) return { text: 'Not in force yet', old: false };
  return { text: days === 0 ? 'Today' : `${countOf(days, 'day')} old`, old: days > OLD_DAYS };
}

/** The file in parts that each begin with its header, and how many lines come before each. */
export function partsOf(csv: string): readonly { readonly csv: string; readonly before: number }[] {
  const [header = '', ...lines] = csv
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trimEnd()
    .split('\n');
  if (lines.length === 0) return [{ csv: header, before: 0 }];
  return Array.from({ length: Math.ceil(lines.length / PART) }, (_, index) => ({
    csv: [header, ...lines.slice(index * PART, (index + 1) * PART)].join('\n'),
    before: index * PART,
  }));
}

/** Sends the parts in turn and joins the outcomes of their lines. */
export async function sendParts(
  csv: string,
  send: (part: string) => Promise<Preview>,
  onProgress: (share: number) => void,
): Promise<Preview> {
  const parts = partsOf(csv);
  let found: Preview = { lines: [], new: 0, changed: 0, unchanged: 0, rejected: 0 };
  for (const [index, part] of parts.entries()) {
    onProgress(index / parts.length);
    const answer = await send(part.csv);
    found = {
      lines: [...found.lines, ...answer.lines.map((line) => ({ ...line, line: line.line + part.before }))],
      new: found.new + answer.new,
      changed: found.changed + answer.changed,
      unchanged: found.unchanged + answer.unchanged,
      rejected: found.rejected + answer.rejected,
    };
  }
  onProgress(1);
  return found;
}

export const summaryOf = (found: Preview): string =>
  `${formatCount(found.new)} new, ${formatCount(found.changed)} changed, ${formatCount(found.unchanged)} unchanged, ${formatCount(found.rejected)} rejected.`;

/** A pair in the address, such as ZAR-THB; null: none. */
export function pairOf(text: string | undefined): { readonly base: string; readonly quote: string } | null {
  const found = /^([A-Z]{3})?-([A-Z]{3})?$/.exec(text ?? '');
  return found ? { base: found[1] ?? '', quote: found[2] ?? '' } : null;
}
