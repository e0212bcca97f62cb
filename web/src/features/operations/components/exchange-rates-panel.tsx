import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { browserTimezone, formatDay, formatZoned, todayIn } from '@/lib/dates';
import { countOf, formatMinor } from '@/lib/format';
import { ratesQuery, ratesStatusQuery, type RatesStatus } from '../api/exchange-rates';
import { ageOf, SOURCES } from '../lib/exchange-rates';
import { ExchangeRateDialog } from './dialogs';
import { ExchangeRateHistory } from './exchange-rate-history';
import { ExchangeRateImport } from './exchange-rate-import';

interface Pair {
  readonly base: string;
  readonly quote: string;
}

interface Props {
  /** The pair whose rate is being added; null: none. */
  readonly adding: Pair | null;
  readonly onAdd: (pair: Pair | null) => void;
  /** The pair whose history is open. */
  readonly open: Pair | null;
  readonly onOpen: (pair: Pair | null) => void;
}

const NO_PAIR: Pair = { base: '', quote: '' };

/** The newest rate of each pair, where rates come from, and the sales that wait for one. */
export function ExchangeRatesPanel({ adding, onAdd, open, onOpen }: Props) {
  const rates = useQuery(ratesQuery);
  const status = useQuery(ratesStatusQuery);
  const [importing, setImporting] = useState(false);
  const today = todayIn('UTC');
  return (
    <div className="flex flex-col gap-5">
      {status.error ? (
        <ErrorBox error={status.error} prefix="Error loading the source" onRetry={() => void status.refetch()} />
      ) : !status.data ? (
        <Loading label="Loading the source of exchange rates" />
      ) : (
        <>
          <Waiting waiting={status.data.waiting} onAdd={onAdd} />
          <Source status={status.data} />
        </>
      )}
      <Card
        title="Rates"
        description="The newest rate of each pair. A pair without one of its own uses the inverse, or both rates against the euro."
        actions={
          <>
            <Button onClick={() => setImporting(true)}>Import CSV</Button>
            <Button variant="primary" onClick={() => onAdd(NO_PAIR)}>
              Add rate
            </Button>
          </>
        }
      >
        {rates.error ? (
          <ErrorBox error={rates.error} prefix="Error loading exchange rates" onRetry={() => void rates.refetch()} />
        ) : !rates.data ? (
          <Loading label="Loading exchange rates" />
        ) : rates.data.length === 0 ? (
          <Empty title="No exchange rates yet">
            Sales in the currency of their website need none. Add a rate, import a file, or switch on the daily
            reference rates of the European Central Bank with ALTHING_EXCHANGE_RATES.
          </Empty>
        ) : (
          <Rows
            caption="Newest exchange rates"
            rows={rates.data}
            rowKey={(row) => `${row.base}-${row.quote}`}
            maxHeight="max-h-[36rem]"
            columns={[
              { id: 'pair', header: 'Pair', className: 'font-medium', cell: (row) => `${row.base} → ${row.quote}` },
              { id: 'rate', header: 'Rate', numeric: true, cell: (row) => row.rate },
              {
                id: 'on',
                header: 'Day',
                className: 'whitespace-nowrap',
                cell: (row) => {
                  const age = ageOf(row.on, today);
                  return (
                    <>
                      {formatDay(row.on)} <Badge tone={age.old ? 'warn' : 'neutral'}>{age.text}</Badge>
                    </>
                  );
                },
              },
              { id: 'source', header: 'Source', cell: (row) => SOURCES[row.source] ?? row.source },
              {
                id: 'actions',
                header: <span className="sr-only">Actions</span>,
                cell: (row) => (
                  <div className="flex justify-end gap-2 max-sm:justify-start">
                    <Button
                      size="sm"
                      aria-label={`History of ${row.base} to ${row.quote}`}
                      onClick={() => onOpen({ base: row.base, quote: row.quote })}
                    >
                      History
                    </Button>
                    <Button
                      size="sm"
                      aria-label={`Add a rate of ${row.base} to ${row.quote}`}
                      onClick={() => onAdd({ base: row.base, quote: row.quote })}
                    >
                      Add
                    </Button>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Card>
      {adding && <ExchangeRateDialog pair={adding} onClose={() => onAdd(null)} />}
      {open && <ExchangeRateHistory {...open} onClose={() => onOpen(null)} />}
      {importing && <ExchangeRateImport onClose={() => setImporting(false)} />}
    </div>
  );
}

function Waiting({
  waiting,
  onAdd,
}: {
  readonly waiting: RatesStatus['waiting'];
  readonly onAdd: (pair: Pair) => void;
}) {
  if (waiting.length === 0) return null;
  return (
    <Card
      title="Sales waiting for a rate"
      description="They count nowhere yet. Each counts automatically as soon as a rate for its day is recorded."
    >
      <Rows
        caption="Sales waiting for an exchange rate"
        rows={waiting}
        rowKey={(row) => `${row.currency}-${row.quote}`}
        columns={[
          {
            id: 'pair',
            header: 'Pair',
            className: 'font-medium',
            cell: (row) => `${row.currency ?? 'A currency of the terms'} → ${row.quote}`,
          },
          { id: 'sales', header: 'Sales', numeric: true, cell: (row) => row.sales },
          { id: 'amount', header: 'Amount', numeric: true, cell: (row) => (row.amount ? formatMinor(row.amount) : '') },
          {
            id: 'websites',
            header: 'Websites',
            numeric: true,
            cell: (row) => row.websites,
          },
          { id: 'since', header: 'Since', cell: (row) => formatZoned(row.since, browserTimezone()) },
          {
            id: 'actions',
            header: <span className="sr-only">Actions</span>,
            cell: (row) => (
              <div className="flex justify-end max-sm:justify-start">
                <Button
                  size="sm"
                  variant="primary"
                  aria-label={`Add rate for ${row.currency ?? 'the terms'} to ${row.quote}`}
                  onClick={() => onAdd({ base: row.currency ?? '', quote: row.quote })}
                >
                  Add rate
                </Button>
              </div>
            ),
          },
        ]}
      />
    </Card>
  );
}

function Source({ status }: { readonly status: RatesStatus }) {
  const zone = browserTimezone();
  const check = status.check;
  if (status.source !== 'ecb')
    return (
      <Card title="Source" description="Rates are added by hand or by import. Nothing is fetched.">
        <p className="text-muted">
          With <code className="font-mono text-[0.8125rem]">ALTHING_EXCHANGE_RATES=ecb</code> the daily reference rates
          of the European Central Bank are recorded automatically.
        </p>
      </Card>
    );
  return (
    <Card title="Source" description="Daily reference rates of the European Central Bank">
      {!check ? (
        <p className="text-muted">The first check has not run yet.</p>
      ) : (
        <>
          {check.problem && (
            <p role="alert" className="mb-3 rounded-lg bg-bad-soft px-4 py-3 text-bad">
              {`${countOf(check.failures, 'check')} failed: ${check.problem}`}
            </p>
          )}
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            <Fact label="Newest day">{check.newestDay ? formatDay(check.newestDay) : 'None'}</Fact>
            <Fact label="Last success">{check.succeededAt ? formatZoned(check.succeededAt, zone) : 'Never'}</Fact>
            <Fact label="Last check">{formatZoned(check.checkedAt, zone)}</Fact>
            <Fact label="Next check">{formatZoned(check.nextAt, zone)}</Fact>
          </dl>
          {check.skipped.length > 0 && (
            <p className="mt-3 text-[0.8125rem] text-muted">{`Left out of the file: ${check.skipped.join(', ')}.`}</p>
          )}
        </>
      )}
    </Card>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8125rem] text-muted">{label}</dt>
      <dd className="mt-0.5 font-medium break-words tabular">{children}</dd>
    </div>
  );
}
