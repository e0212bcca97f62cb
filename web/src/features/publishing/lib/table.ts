// The table of a comparison as a grid of texts. Row 0 has the names of the products, column 0 those of the features. Pure.
import { emptyCell, newProduct } from './blocks';
import type { Cell, Comparison } from './document';
import { moved } from './edits';

export const MAX_PRODUCTS = 8;
export const MAX_FEATURES = 40;
const MAX_NAME = 80;
const MAX_FEATURE = 120;
export const MAX_CELL = 160;

export interface Place {
  readonly row: number;
  readonly column: number;
}

export const rowsOf = (block: Comparison): number => block.rows.length + 1;
export const columnsOf = (block: Comparison): number => block.products.length + 1;

const YES = '✓ Yes';
const NO = '✗ No';
const MEANS_YES = /^(✓|✔|✅|yes|true|✓ yes)$/i;
const MEANS_NO = /^(✗|✘|❌|no|false|✗ no)$/i;

/** A cell from what was typed: "yes" and "no" are marks. */
export function cellOf(text: string): Cell {
  const plain = text.trim();
  if (MEANS_YES.test(plain)) return { kind: 'yes' };
  return MEANS_NO.test(plain) ? { kind: 'no' } : { kind: 'text', text };
}

export const textOfCell = (cell: Cell): string => (cell.kind === 'yes' ? YES : cell.kind === 'no' ? NO : cell.text);

/** What is at a place; the corner is empty. */
export function textAt(block: Comparison, { row, column }: Place): string {
  if (row === 0) return column === 0 ? '' : (block.products[column - 1]?.name ?? '');
  const feature = block.rows[row - 1];
  return column === 0 ? (feature?.feature ?? '') : textOfCell(feature?.values[column - 1] ?? emptyCell);
}

/** The place inside of the block, as the server names it. */
export function pathAt({ row, column }: Place): string {
  if (row === 0) return `products.${column - 1}.name`;
  return column === 0 ? `rows.${row - 1}.feature` : `rows.${row - 1}.values.${column - 1}`;
}

export function setCell(block: Comparison, { row, column }: Place, cell: Cell): Comparison {
  const text = textOfCell(cell);
  if (row === 0) {
    const product = block.products[column - 1];
    if (!product) return block;
    return { ...block, products: block.products.with(column - 1, { ...product, name: text }) };
  }
  const feature = block.rows[row - 1];
  if (!feature) return block;
  const changed =
    column === 0 ? { ...feature, feature: text } : { ...feature, values: feature.values.with(column - 1, cell) };
  return { ...block, rows: block.rows.with(row - 1, changed) };
}

/** A new feature below the row. */
export function addRow(block: Comparison, row: number): Comparison {
  if (block.rows.length >= MAX_FEATURES) return block;
  const added = { feature: '[Name of the feature]', values: block.products.map(() => emptyCell) };
  return { ...block, rows: block.rows.toSpliced(row, 0, added) };
}

/** A new product right of the column. */
export function addColumn(block: Comparison, column: number): Comparison {
  if (block.products.length >= MAX_PRODUCTS) return block;
  return {
    ...block,
    products: block.products.toSpliced(column, 0, newProduct()),
    rows: block.rows.map((row) => ({ ...row, values: row.values.toSpliced(column, 0, emptyCell) })),
  };
}

/** One feature always stays. */
export function removeRow(block: Comparison, row: number): Comparison {
  return row === 0 || block.rows.length === 1 ? block : { ...block, rows: block.rows.toSpliced(row - 1, 1) };
}

/** One product always stays. */
export function removeColumn(block: Comparison, column: number): Comparison {
  if (column === 0 || block.products.length === 1) return block;
  return {
    ...block,
    products: block.products.toSpliced(column - 1, 1),
    rows: block.rows.map((row) => ({ ...row, values: row.values.toSpliced(column - 1, 1) })),
  };
}

export function moveRow(block: Comparison, row: number, by: number): Comparison {
  return row === 0 ? block : { ...block, rows: moved(block.rows, row - 1, row - 1 + by) };
}

export function moveColumn(block: Comparison, column: number, by: number): Comparison {
  if (column === 0) return block;
  const [from, to] = [column - 1, column - 1 + by];
  return {
    ...block,
    products: moved(block.products, from, to),
    rows: block.rows.map((row) => ({ ...row, values: moved(row.values, from, to) })),
  };
}

/** The rows of a table that a spreadsheet copied: tabs between cells; a quoted cell may have tabs and line ends. */
export function cellsOf(copied: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const text = copied.replace(/\r\n?/g, '\n').replace(/\n+$/, '');
  let row: string[] = [];
  let at = 0;
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"(?=[\t\n]|$)/.exec(text.slice(at));
    const raw = quoted ? quoted[0] : (/^[^\t\n]*/.exec(text.slice(at))?.[0] ?? '');
    row.push((quoted ? (quoted[1] ?? '').replaceAll('""', '"') : raw).replace(/\s+/g, ' ').trim());
    at += raw.length;
    if (text[at] === '\t') at += 1;
    else {
      rows.push(row);
      row = [];
      if (at >= text.length) return rows;
      at += 1;
    }
  }
}

export interface Pasted {
  readonly block: Comparison;
  /** How many cells did not fit. */
  readonly left: number;
}

/** Writes the cells from this place on, with new rows and columns as far as the table may have them. */
export function paste(block: Comparison, { row, column }: Place, cells: readonly (readonly string[])[]): Pasted {
  let into = block;
  const width = column + Math.max(...cells.map((each) => each.length));
  while (columnsOf(into) < width && into.products.length < MAX_PRODUCTS) into = addColumn(into, into.products.length);
  while (rowsOf(into) < row + cells.length && into.rows.length < MAX_FEATURES) into = addRow(into, into.rows.length);
  let left = 0;
  cells.forEach((texts, down) =>
    texts.forEach((text, right) => {
      const place = { row: row + down, column: column + right };
      const isCorner = place.row === 0 && place.column === 0;
      if (isCorner) return;
      if (place.row >= rowsOf(into) || place.column >= columnsOf(into)) left += 1;
      else into = setCell(into, place, cellFor(place, text));
    }),
  );
  return { block: into, left };
}

/** Names of products and features are texts, never marks. */
function cellFor({ row, column }: Place, text: string): Cell {
  if (row > 0 && column > 0) return cellOf(text.slice(0, MAX_CELL));
  return { kind: 'text', text: text.slice(0, row === 0 ? MAX_NAME : MAX_FEATURE) };
}

export const maxLengthAt = ({ row, column }: Place): number =>
  row === 0 ? MAX_NAME : column === 0 ? MAX_FEATURE : MAX_CELL;
