import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import { Table } from '@/components/data/table';
import { Card } from '@/components/ui/card';
import type { WebsiteKey } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { formatCount, formatMoney } from '@/lib/format';
import { countriesQuery, keysQuery, partnersQuery, type Range } from '../api/website-session';

const KINDS: Record<WebsiteKey['kind'], string> = {
  site: 'Site key',
  secret: 'Secret key',
  postback: 'Postback token',
};
const ORDER = Object.keys(KINDS);

interface StatsProps {
  /** Of the website. */
  readonly id: string;
  readonly range: Range;
  readonly currency: string;
}

export function PartnersCard({ id, range, currency }: StatsProps) {
  return (
    <Listed
      title="Top partners"
      description="By revenue"
      query={useQuery(partnersQuery(id, range))}
      none="No clicks on partner links in this period."
    >
      {(rows) => (
        <Table
          caption="Partners table"
          rows={rows}
          rowKey={(row) => row.partnerId ?? 'none'}
          maxHeight="max-h-104"
          columns={[
            { id: 'partner', header: 'Partner', cell: (row) => row.partnerName },
            { id: 'clicks', header: 'Clicks', cell: (row) => formatCount(row.clicks), numeric: true },
            { id: 'conversions', header: 'Conversions', cell: (row) => formatCount(row.conversions), numeric: true },
            { id: 'revenue', header: 'Revenue', cell: (row) => formatMoney(row.revenue, currency), numeric: true },
          ]}
        />
      )}
    </Listed>
  );
}

export function CountriesCard({ id, range, currency }: StatsProps) {
  return (
    <Listed
      title="Countries"
      description="By clicks"
      query={useQuery(countriesQuery(id, range))}
      none="No clicks in this period."
    >
      {(rows) => (
        <Table
          caption="Countries table"
          rows={rows}
          rowKey={(row) => row.country}
          maxHeight="max-h-104"
          columns={[
            { id: 'country', header: 'Country', cell: (row) => row.countryName },
            { id: 'clicks', header: 'Clicks', cell: (row) => formatCount(row.clicks), numeric: true },
            { id: 'revenue', header: 'Revenue', cell: (row) => formatMoney(row.revenue, currency), numeric: true },
          ]}
        />
      )}
    </Listed>
  );
}

export function KeysCard({ id, timezone }: { readonly id: string; readonly timezone: string }) {
  return (
    <Listed
      title="Keys"
      description="Valid keys. The account that owns the website creates and revokes them."
      query={useQuery(keysQuery(id))}
      none="No valid keys."
    >
      {(rows) => (
        <Rows
          caption="Valid keys"
          rows={rows.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))}
          rowKey={(row) => row.id}
          columns={[
            { id: 'kind', header: 'Kind', cell: (row) => KINDS[row.kind], className: 'whitespace-nowrap font-medium' },
            {
              id: 'key',
              header: 'Key',
              cell: (row) => <code className="text-[0.8125rem]">{row.key ?? row.hint}</code>,
            },
            {
              id: 'origins',
              header: 'Allowed origins',
              cell: (row) => (row.kind === 'site' ? row.allowedOrigins.join(', ') || 'Any' : '–'),
            },
            {
              id: 'created',
              header: 'Created',
              cell: (row) => formatZoned(row.createdAt, timezone),
              className: 'whitespace-nowrap tabular',
            },
            {
              id: 'used',
              header: 'Last used',
              cell: (row) => (row.lastUsedAt ? formatZoned(row.lastUsedAt, timezone) : 'Never'),
              className: 'whitespace-nowrap tabular',
            },
          ]}
        />
      )}
    </Listed>
  );
}

interface ListedProps<Row> {
  readonly title: string;
  readonly description: string;
  readonly query: UseQueryResult<Row[]>;
  readonly none: string;
  readonly children: (rows: Row[]) => ReactNode;
}

function Listed<Row>({ title, description, query, none, children }: ListedProps<Row>) {
  return (
    <Card title={title} description={description}>
      {query.error ? (
        <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton className="h-32" />
      ) : query.data.length === 0 ? (
        <Empty>{none}</Empty>
      ) : (
        children(query.data)
      )}
    </Card>
  );
}
