import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Rows } from './rows';
import type { Column } from './table';

const COLUMNS: readonly Column<{ readonly name: string; readonly error: string }>[] = [
  { id: 'name', header: 'Name', cell: (row) => row.name },
  { id: 'error', header: 'Error', cell: (row) => row.error && <b>{row.error}</b> },
];

test('on a phone a row is a list without what it does not have', () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => Object.assign(new EventTarget(), { matches: query === '(max-width: 639px)' }) as MediaQueryList,
  );
  render(
    <Rows
      caption="Parts"
      columns={COLUMNS}
      rows={[
        { name: 'one', error: 'no' },
        { name: 'two', error: '' },
      ]}
      rowKey={(row) => row.name}
    />,
  );
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['oneErrorno', 'two']);
});
