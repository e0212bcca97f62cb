import { describe, expect, test } from 'vitest';
import { unknownWords, valuesOf, withAnswers, withCorrections, withWords } from './mapping';

const LAYOUT = {
  format: 'text',
  encoding: 'cp1252',
  separator: '\t',
  header_line: 3,
  sheet: '',
  columns: { txid: 'Order', commission: 'Fee' },
  date_order: '',
  decimal_mark: ',',
  timezone: '',
  currency: '',
};

test('each answer goes to the part of the mapping that its question names, beside what was said before', () => {
  const before = { currency: 'EUR', columns: { sale: 'Total' } };
  expect(
    withAnswers(before, {
      date_order: 'dmy',
      decimal_mark: ',',
      'columns.txid': 'Order',
      'columns.commission': 'Fee (2)',
      'status:on review': 'pending',
    }),
  ).toEqual({
    currency: 'EUR',
    columns: { sale: 'Total', txid: 'Order', commission: 'Fee (2)' },
    date_order: 'dmy',
    decimal_mark: ',',
    statuses: { 'on review': 'pending' },
  });
});

describe('rejected rows', () => {
  test('name each unknown advertiser and status once', () => {
    const partner = (name: string) => ({
      code: 'unknown_partner',
      message: `Which partner is “${name}”? Choose it in the mapping.`,
    });
    const status = { code: 'unknown_status', message: 'The status "on review" is not known. Choose what it means.' };
    const other = { code: 'bad_amount', message: '"n/a" is not an amount.' };
    expect(unknownWords([partner('Café “Rós”'), other, status, partner('Café “Rós”'), partner('X'), status])).toEqual({
      partners: ['Café “Rós”', 'X'],
      statuses: ['on review'],
      isWithoutAdvertiser: false,
    });
  });

  test('may name no advertiser, which no choice makes known', () => {
    const line = { code: 'unknown_partner', message: 'Choose the partner of this report.' };
    expect(unknownWords([line])).toEqual({ partners: [], statuses: [], isWithoutAdvertiser: true });
  });

  test('are accepted by what is chosen, beside the choices before', () => {
    expect(withWords({ partners: { A: 'p1' }, date_order: 'ymd' }, { B: 'p2' }, {})).toEqual({
      partners: { A: 'p1', B: 'p2' },
      date_order: 'ymd',
    });
    expect(withWords({ statuses: { ok: 'approved' } }, {}, { open: 'pending' })).toEqual({
      statuses: { ok: 'approved', open: 'pending' },
    });
  });
});

describe('corrections', () => {
  const before = valuesOf(LAYOUT);

  test('nothing that was detected becomes part of the mapping', () => {
    expect(before).toMatchObject({ separator: 'tab', headerLine: '3', decimalMark: ',' });
    expect(withCorrections({ currency: 'USD' }, before, before)).toEqual({ currency: 'USD' });
  });

  test('what was changed does, with the names of the server', () => {
    const after = {
      ...before,
      separator: 'semicolon',
      headerLine: '4',
      encoding: 'utf-8',
      dateOrder: 'mdy',
      timezone: 'Europe/Berlin',
      currency: 'SEK',
      columns: { txid: 'Order', commission: '', sale: 'Total' },
    };
    expect(withCorrections({ columns: { status: 'State' } }, before, after)).toEqual({
      separator: ';',
      header_line: 4,
      encoding: 'utf-8',
      date_order: 'mdy',
      timezone: 'Europe/Berlin',
      currency: 'SEK',
      columns: { status: 'State', commission: '', sale: 'Total' },
    });
  });

  test('what was emptied is detected again; without a time zone times are of the website', () => {
    const zoned = valuesOf({ ...LAYOUT, timezone: 'UTC', currency: 'EUR' });
    expect(
      withCorrections({}, zoned, { ...zoned, timezone: '', currency: '', headerLine: '', decimalMark: '' }),
    ).toEqual({ timezone: '', currency: null, header_line: null, decimal_mark: null });
  });
});
