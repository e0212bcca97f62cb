import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Download, Printer } from 'lucide-react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { Statement, Website } from '@/lib/api/types';
import { formatIn, todayIn } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { useIsPhone } from '@/lib/browser/media';
import { statementFile, statementsQuery } from '../api/ledger';
import { addMonths } from '../lib/search';

interface Props {
  readonly website: Website;
  readonly month: string | null;
  readonly onMonth: (month: string) => void;
}

export function Statements({ website, month: wanted, onMonth }: Props) {
  const now = todayIn(website.timezone).slice(0, 7);
  const month = wanted ?? now;
  const query = useQuery(statementsQuery(website.id, month));
  const phone = useIsPhone();
  const rows = query.data?.statements ?? [];
  const name = formatIn(`${month}-01`, 'UTC', { month: 'long', year: 'numeric' });
  return (
    <Card
      title={`Statements of ${name}`}
      description="Commissions are booked on approval; reversals on the day they happen. Closed months never change. A balance is the total earned, including what was already paid; the Payouts page shows what is still owed."
      actions={
        <div className="flex items-center gap-1.5">
          <Button size="icon" aria-label="Previous month" onClick={() => onMonth(addMonths(month, -1))}>
            <ChevronLeft aria-hidden className="size-4" />
          </Button>
          <input
            type="month"
            aria-label="Month"
            value={month}
            min="1990-01"
            max={now}
            required
            className="h-9 rounded-lg border border-line bg-surface px-2 font-medium"
            onChange={(event) => event.target.value && onMonth(event.target.value)}
          />
          <Button
            size="icon"
            aria-label="Next month"
            aria-disabled={month >= now}
            onClick={month >= now ? undefined : () => onMonth(addMonths(month, 1))}
          >
            <ChevronRight aria-hidden className="size-4" />
          </Button>
        </div>
      }
    >
      {query.error && !query.data ? (
        <ErrorBox error={query.error} prefix="Error loading statements" onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <div role="status" aria-label="Loading statements">
          <Skeleton className="h-40" />
        </div>
      ) : rows.length === 0 ? (
        <Empty>No revenue by the end of {name}.</Empty>
      ) : phone ? (
        <ul aria-label="Statements" className="divide-y divide-line border-t border-line">
          {rows.map((row) => (
            <li key={row.partnerId} className="py-3">
              <div className="flex items-center justify-between gap-3">
                <p className="font-medium">{row.partnerName}</p>
                <Files row={row} websiteId={website.id} month={month} />
              </div>
              <dl className="mt-2 grid grid-cols-[1fr_auto] gap-y-1 tabular">
                {SUMS.map(({ header, value }) => (
                  <div key={header} className="contents">
                    <dt className="text-muted">{header}</dt>
                    <dd className="text-right">{value(row)}</dd>
                  </div>
                ))}
              </dl>
            </li>
          ))}
        </ul>
      ) : (
        <Table
          caption="Statements table"
          rows={rows}
          rowKey={(row) => row.partnerId}
          columns={columns(website.id, month)}
        />
      )}
      {query.data && !query.data.isOver && rows.length > 0 && (
        <p className="mt-3 flex items-center gap-2 text-[0.8125rem] text-muted">
          <Badge tone="warn">Open</Badge> Month in progress; amounts may change. Held and payable are calculated as of
          the end of the month.
        </p>
      )}
    </Card>
  );
}

const less = (row: Statement, name: 'takenBack' | 'adjustments'): string =>
  row[name].amount ? `−${formatMinor(row[name])}` : formatMinor(row[name]);

const SUMS: readonly { readonly header: string; readonly value: (row: Statement) => string }[] = [
  { header: 'Opening', value: (row) => formatMinor(row.opening) },
  { header: 'Approved', value: (row) => formatMinor(row.approved) },
  { header: 'Reversed', value: (row) => less(row, 'takenBack') },
  { header: 'Adjustments', value: (row) => less(row, 'adjustments') },
  { header: 'Closing', value: (row) => formatMinor(row.closing) },
  { header: 'Held', value: (row) => formatMinor(row.held) },
  { header: 'Payable', value: (row) => formatMinor(row.payable) },
];

function columns(websiteId: string, month: string): Column<Statement>[] {
  return [
    { id: 'partner', header: 'Partner', cell: (row) => <span className="font-medium">{row.partnerName}</span> },
    ...SUMS.map(({ header, value }) => ({
      id: header,
      header,
      numeric: true,
      cell: value,
      className: 'whitespace-nowrap',
    })),
    {
      id: 'files',
      header: <span className="sr-only">Files</span>,
      cell: (row) => <Files row={row} websiteId={websiteId} month={month} />,
    },
  ];
}

function Files({
  row,
  websiteId,
  month,
}: {
  readonly row: Statement;
  readonly websiteId: string;
  readonly month: string;
}) {
  return (
    <div className="flex justify-end gap-1.5">
      <a
        className={buttonClass({ size: 'sm' })}
        href={statementFile(websiteId, month, row.partnerId, 'csv')}
        download
        aria-label={`Download statement of ${row.partnerName} as CSV`}
      >
        <Download aria-hidden className="size-3.5" />
        CSV
      </a>
      <a
        className={buttonClass({ size: 'sm' })}
        href={statementFile(websiteId, month, row.partnerId, 'html')}
        target="_blank"
        rel="noreferrer"
        aria-label={`Print statement of ${row.partnerName}`}
      >
        <Printer aria-hidden className="size-3.5" />
        Print
      </a>
    </div>
  );
}
