// How a value of a result is shown, aligned and drawn.
import type { SqlResult } from '../api/queries';

export type Column = SqlResult['columns'][number];
export type Row = SqlResult['rows'][number];

export const isNumber = (type: string): boolean =>
  /^(?:LowCardinality\(|Nullable\()*(?:U?Int\d+|Float\d+|Decimal)/.test(type);
export const isTime = (type: string): boolean => /^(?:LowCardinality\(|Nullable\()*Date/.test(type);

export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The width of each column in characters, by its name and its first rows. */
export function widths(columns: readonly Column[], rows: readonly Row[]): number[] {
  return columns.map((column, index) => {
    const longest = Math.max(column.name.length + 2, ...rows.slice(0, 200).map((row) => shown(row[index]).length));
    return Math.min(48, Math.max(8, longest));
  });
}

export interface Drawing {
  readonly x: string;
  readonly series: readonly string[];
  readonly points: readonly Record<string, string | number | null>[];
}

export const MAX_POINTS = 500;
export const MAX_SERIES = 6;

/** Columns of numbers, by index. */
export const numbersOf = ({ columns }: SqlResult): number[] =>
  columns.flatMap((column, index) => (isNumber(column.type) ? [index] : []));

/** The column that names the points: the first that is no number. */
export const labelOf = ({ columns }: SqlResult): number =>
  Math.max(
    0,
    columns.findIndex((column) => !isNumber(column.type)),
  );

/** The first rows as a chart: `x` by its name, every chosen column of numbers as a series. */
export function drawing(result: SqlResult, x: number, y: readonly number[]): Drawing | null {
  const series = y.flatMap((index) => result.columns[index]?.name ?? []);
  const label = result.columns[x]?.name;
  if (label === undefined || series.length === 0 || result.rows.length === 0) return null;
  const points = result.rows.slice(0, MAX_POINTS).map((row) => ({
    x: shown(row[x]),
    ...Object.fromEntries(y.map((index, order) => [`y${order}`, finite(row[index])])),
  }));
  return { x: label, series, points };
}

/** "nan" and "inf" cannot be drawn. */
function finite(value: unknown): number | null {
  const number = value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}
