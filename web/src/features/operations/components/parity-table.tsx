import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { countOf, formatCount } from '@/lib/format';
import type { Comparison } from '../api/operations';
import { Rows } from '@/components/data/rows';

type Compared = Comparison['tables'][number];

/** Rows and sums of each table, the rebuilt generation's compared with the live one's. */
export function ParityTable({ comparison, running }: { readonly comparison: Comparison; readonly running: boolean }) {
  const { live, rebuilt, isEqual, tables, differences, differenceCount } = comparison;
  return (
    <section aria-label="Comparison" className="flex flex-col gap-2">
      <h3 className="flex flex-wrap items-center gap-2 font-semibold">
        Generation {rebuilt} compared with {live}
        {!running && (
          <Badge tone={isEqual ? 'good' : 'bad'}>
            {isEqual ? 'Equal' : countOf(differenceCount, 'row differs', 'rows differ')}
          </Badge>
        )}
      </h3>
      <Rows
        caption={`Generation ${rebuilt} compared with ${live}`}
        columns={COLUMNS}
        rows={tables}
        rowKey={(row) => row.table}
      />
      {differences.length > 0 && (
        <details className="rounded-lg border border-line px-3 py-2">
          <summary className="cursor-pointer font-medium">
            Rows that differ{differenceCount > differences.length && ` (the first ${differences.length})`}
          </summary>
          <ul className="mt-2 flex flex-col gap-2">
            {differences.map((item, index) => (
              <li key={index} className="text-[0.8125rem]">
                <span className="text-muted">
                  {item.table} {item.period}, only in {item.side}
                </span>
                <code className="block font-mono break-all">{item.row}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const COLUMNS: readonly Column<Compared>[] = [
  { id: 'table', header: 'Table', cell: (row) => <code className="font-mono text-[0.8125rem]">{row.table}</code> },
  { id: 'live', header: 'Rows, live', numeric: true, cell: (row) => formatCount(row.liveRows) },
  { id: 'rebuilt', header: 'Rows, rebuilt', numeric: true, cell: (row) => formatCount(row.rebuiltRows) },
  { id: 'sums', header: 'Sums, live and rebuilt', cell: (row) => <Sums row={row} /> },
  {
    id: 'hash',
    header: 'Content',
    cell: (row) => <code className="font-mono text-xs text-muted">{row.hash.slice(0, 16)}</code>,
  },
  {
    id: 'equal',
    header: 'Result',
    cell: (row) => (
      <Badge tone={row.differences === 0 ? 'good' : 'bad'}>
        {row.differences === 0 ? 'Equal' : `${row.differences} differ`}
      </Badge>
    ),
  },
];

/** Sums come as text, because they may be larger than a number of JavaScript is exact. */
const grouped = (sum: string): string => sum.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','));

function Sums({ row }: { readonly row: Compared }) {
  if (row.sums.length === 0) return <span className="text-muted">–</span>;
  return (
    <ul className="text-[0.8125rem] tabular">
      {row.sums
        .filter((sum) => sum.live !== '0' || sum.rebuilt !== '0')
        .map((sum) => (
          <li key={sum.column} className={sum.live === sum.rebuilt ? undefined : 'text-bad'}>
            {sum.column}: {grouped(sum.live)} {sum.live === sum.rebuilt ? '=' : '≠'} {grouped(sum.rebuilt)}
          </li>
        ))}
    </ul>
  );
}
