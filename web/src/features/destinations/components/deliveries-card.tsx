import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { Website } from '@/lib/api/types';
import { formatDateTime } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { deliveriesQuery, type ConversionDelivery, type DeliveryState, type Destination } from '../api/destinations';
import { labelOf } from '../lib/platforms';
import { DELIVERY_KINDS, DELIVERY_STATES, deliveryDetails } from '../lib/states';

interface Props {
  readonly destination: Destination;
  readonly website: Pick<Website, 'id' | 'timezone'>;
}

const STATES = Object.keys(DELIVERY_STATES) as DeliveryState[];

/** The log of a destination: what was sent, what the platform answered, and why something cannot be sent. */
export function DeliveriesCard({ destination, website }: Props) {
  const [state, setState] = useState<DeliveryState | null>(null);
  return (
    <Card
      title={`Deliveries to ${labelOf(destination)}`}
      description="The last 400 days, the latest decision first."
      actions={
        <Select
          label="Status of deliveries"
          value={state ?? ''}
          onChange={(event) => setState((event.target.value || null) as DeliveryState | null)}
        >
          <option value="">All statuses</option>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {DELIVERY_STATES[one].label}
            </option>
          ))}
        </Select>
      }
    >
      <PagedTable
        caption="Deliveries table"
        query={useCursorQuery(deliveriesQuery(destination, state))}
        columns={columnsOf(website, destination.isRefused)}
        rowKey={(row) => row.id}
        none={
          state
            ? 'No deliveries with this status.'
            : 'No deliveries yet. A conversion is listed here when you approve it.'
        }
      />
    </Card>
  );
}

const NONE = <span className="text-muted">–</span>;

const columnsOf = (website: Props['website'], isRefused: boolean): readonly Column<ConversionDelivery>[] => [
  {
    id: 'decided',
    header: 'Decided',
    cell: (row) => (
      <Link
        to="/conversions"
        search={{ website: website.id, open: row.conversionId }}
        aria-label={`Conversion decided ${formatDateTime(row.decidedAt, website.timezone)}`}
        className="text-brand hover:underline"
      >
        {formatDateTime(row.decidedAt, website.timezone)}
      </Link>
    ),
    className: 'whitespace-nowrap tabular',
  },
  {
    id: 'kind',
    header: 'Type',
    cell: ({ kind }) => (kind ? DELIVERY_KINDS[kind] : NONE),
    className: 'whitespace-nowrap',
  },
  { id: 'name', header: 'Name', cell: ({ name }) => name ?? NONE, className: 'max-w-56 truncate' },
  {
    id: 'value',
    header: 'Value',
    numeric: true,
    cell: ({ value }) => (value ? formatMinor(value) : NONE),
    className: 'whitespace-nowrap',
  },
  {
    id: 'state',
    header: 'Status',
    cell: (row) => <State of={row} details={deliveryDetails(row, isRefused, website.timezone)} />,
    className: 'min-w-56',
  },
];

function State({ of, details }: { readonly of: ConversionDelivery; readonly details: readonly string[] }) {
  const { label, tone } = DELIVERY_STATES[of.state];
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {details.map((line) => (
        <p key={line} className="mt-1 text-[0.8125rem] text-muted wrap-anywhere">
          {line}
        </p>
      ))}
    </>
  );
}
