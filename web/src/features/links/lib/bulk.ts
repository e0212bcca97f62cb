// Lines of text or CSV as links to make: partner, destination, slug, sub1, sub2, … ; all but the partner may be empty.
import type { Partner } from '@/lib/api/types';
import { SUBS } from './draft';

export const MAX_BATCH_SIZE = 200;
export const COLUMNS = ['partner', 'destination', 'slug', ...SUBS] as const;

export interface BulkLine {
  /** Line of the text, from 1. */
  readonly line: number;
  readonly body: Readonly<Record<string, string>>;
}

export interface BulkError {
  readonly line: number;
  readonly message: string;
}

export function readBulk(
  text: string,
  partners: readonly Partner[],
): { readonly lines: readonly BulkLine[]; readonly errors: readonly BulkError[] } {
  const lines: BulkLine[] = [];
  const errors: BulkError[] = [];
  const byName = new Map(
    partners.flatMap((partner) => [
      [partner.name.toLowerCase(), partner.id] as const,
      [partner.slug, partner.id] as const,
    ]),
  );
  for (const [index, source] of text.split(/\r\n|\r|\n/).entries()) {
    if (source.trim() === '' || (index === 0 && /^\ufeff?"?partner\b/i.test(source))) continue;
    const line = index + 1;
    const cells = cellsOf(source.replace(/^\ufeff/, ''));
    const partnerId = byName.get((cells[0] ?? '').toLowerCase());
    if (!partnerId) errors.push({ line, message: `There is no active partner “${cells[0] ?? ''}”.` });
    else if (cells.length > COLUMNS.length)
      errors.push({ line, message: `A line has at most ${COLUMNS.length} values.` });
    else
      lines.push({
        line,
        body: {
          partnerId,
          ...Object.fromEntries(
            COLUMNS.slice(1).flatMap((name, place) => (cells[place + 1] ? [[name, cells[place + 1] ?? '']] : [])),
          ),
        },
      });
  }
  if (lines.length > MAX_BATCH_SIZE)
    errors.push({
      line: lines[MAX_BATCH_SIZE]?.line ?? 0,
      message: `At most ${MAX_BATCH_SIZE} links can be created at once.`,
    });
  return { lines, errors };
}

/** The server names a culprit by its place ("links.3.slug"); people by the line of their text. */
export function errorsByLine(fields: Readonly<Record<string, string>>, lines: readonly BulkLine[]): BulkError[] {
  return Object.entries(fields).flatMap(([field, message]) => {
    const line = lines[Number(/^links\.(\d+)/.exec(field)?.[1] ?? Number.NaN)]?.line;
    return line === undefined ? [] : [{ line, message }];
  });
}

function cellsOf(source: string): string[] {
  const separator = source.includes('\t') ? '\t' : source.includes(';') && !source.includes(',') ? ';' : ',';
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let index = 0; index < source.length; index += 1) {
    const letter = source.charAt(index);
    if (quoted && letter === '"' && source.charAt(index + 1) === '"') {
      cell += '"';
      index += 1;
    } else if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += letter;
  }
  return [...cells, cell.trim()];
}
