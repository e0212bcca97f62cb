// RFC 4180 files that a spreadsheet cannot be tricked into running, whether it splits them at commas, semicolons or tabs: an
// apostrophe stands before whatever begins like a formula where a text, or a cell for such a program, begins. The API's
// files follow the same rule (`query_api/kernel/csv.py`).
import { downloadText } from './download';
import { Exact } from '@/lib/format/exact';

export type Cell = string | number | null | undefined;

export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows]
    .map((row) => row.map(cell).join(','))
    .join('\r\n')
    .concat('\r\n');
}

export const download = (name: string, text: string): void =>
  downloadText(name, `\ufeff${text}`, 'text/csv;charset=utf-8');

function cell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || (value as unknown) instanceof Exact) return String(value);
  const safe = value
    .replace(/(?<=[;\t\r\n])([ "]*)(?=[=+\-@＝＋－＠])/g, "$1'")
    .replace(/^(?=[\t\r\n]| *[=+\-@＝＋－＠])/, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
