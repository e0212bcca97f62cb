import { expect, test } from 'vitest';
import { newBlock } from './blocks';
import type { Comparison } from './document';
import * as table from './table';

const START = newBlock('comparison', 'c') as Comparison;
const PASTED = 'Tents\tTrek 2\tAlp 1\r\nWeight\t2.1 kg\t"1.4 kg\n(fly only)"\r\nWaterproof\tyes\tNo\r\n';
const texts = (block: Comparison) =>
  Array.from({ length: table.rowsOf(block) }, (_, row) =>
    Array.from({ length: table.columnsOf(block) }, (_empty, column) => table.textAt(block, { row, column })),
  );

test('a table from a spreadsheet is pasted whole, with rows added, quotes read, and yes and no as marks', () => {
  const { block, left } = table.paste(START, { row: 0, column: 0 }, table.cellsOf(PASTED));
  expect(left).toBe(0);
  expect(texts(block)).toEqual([
    ['', 'Trek 2', 'Alp 1'],
    ['Weight', '2.1 kg', '1.4 kg (fly only)'],
    ['Waterproof', '✓ Yes', '✗ No'],
  ]);
  expect(block.rows[1]?.values).toEqual([{ kind: 'yes' }, { kind: 'no' }]);
});

test('what does not fit is counted, and nothing grows beyond the limits', () => {
  const wide = Array.from({ length: 50 }, (_, row) =>
    Array.from({ length: 10 }, (_empty, column) => `${row}.${column}`),
  );
  const { block, left } = table.paste(START, { row: 1, column: 1 }, wide);
  expect([table.rowsOf(block), table.columnsOf(block)]).toEqual([41, 9]);
  expect(left).toBe(50 * 10 - 40 * 8);
  expect(block.rows.every((row) => row.values.length === block.products.length)).toBe(true);
  expect(table.textAt(block, { row: 40, column: 8 })).toBe('39.7');
});

test('copied cells are read whatever is in them', () => {
  expect(table.cellsOf('a\tb')).toEqual([['a', 'b']]);
  expect(table.cellsOf('"say ""hi"""\t\n\tש 🏕️')).toEqual([
    ['say "hi"', ''],
    ['', 'ש 🏕️'],
  ]);
  expect(table.cellsOf('"open\tb')).toEqual([['"open', 'b']]);
});

test('rows and columns are added, moved and removed with their values; one always stays', () => {
  const { block } = table.paste(START, { row: 0, column: 0 }, table.cellsOf(PASTED));
  expect(texts(table.moveColumn(block, 1, 1))[0]).toEqual(['', 'Alp 1', 'Trek 2']);
  expect(texts(table.moveColumn(block, 1, 1))[2]).toEqual(['Waterproof', '✗ No', '✓ Yes']);
  expect(texts(table.moveRow(block, 1, 1)).map(([name]) => name)).toEqual(['', 'Waterproof', 'Weight']);
  expect(table.moveRow(block, 2, 1).rows).toEqual(block.rows);
  const wider = table.addColumn(block, 1);
  expect(texts(wider)[0]).toEqual(['', 'Trek 2', '[Name of the product]', 'Alp 1']);
  expect(texts(table.removeColumn(wider, 2))).toEqual(texts(block));
  expect(texts(table.removeRow(table.addRow(block, 0), 1))).toEqual(texts(block));
  expect(table.removeRow(START, 1)).toBe(START);
  expect(table.removeColumn(table.removeColumn(START, 1), 1).products).toHaveLength(1);
});
