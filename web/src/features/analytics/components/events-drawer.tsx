import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Dialog } from '@/components/ui/dialog';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { countryName } from '@/lib/labels/countries';
import { formatDateTime } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { eventsQuery, type EventsOf, type LoggedEvent } from '../api/events';
import type { AnalyticsParams } from '../api/analytics';
import { valueName, type Named } from '../lib/dimensions';

const WHAT: Readonly<Record<EventsOf, string>> = {
  clicks: 'Clicks',
  pageviews: 'Page views',
  conversions: 'Every step of every conversion, and by how much it changed the totals',
  everything: 'Every event',
};

interface Props {
  readonly title: string;
  readonly of: EventsOf;
  readonly params: AnalyticsParams;
  readonly currency: string;
  readonly timezone: string;
  readonly named: Named;
  readonly onClose: () => void;
}

/** The events behind a number. */
export function EventsDrawer({ title, of, params, currency, timezone, named, onClose }: Props) {
  const query = useCursorQuery(eventsQuery(of, params));
  return (
    <Dialog
      open
      as="wide"
      onOpenChange={(open) => !open && onClose()}
      title={`Events: ${title}`}
      description={`${WHAT[of]}, newest first. Times in ${timezone}.`}
    >
      <PagedTable
        caption="Events table"
        query={query}
        columns={columns({ of, currency, timezone, named })}
        rowKey={(event) => `${event.topic}${event.partition}@${event.offset}/${event.id}`}
        none="No events in this period."
      />
    </Dialog>
  );
}

type ColumnProps = Pick<Props, 'of' | 'currency' | 'timezone' | 'named'>;

function columns({ of, currency, timezone, named }: ColumnProps): Column<LoggedEvent>[] {
  const list: Column<LoggedEvent>[] = [
    {
      id: 'time',
      header: 'Time',
      className: 'whitespace-nowrap tabular',
      cell: (event) => formatDateTime(event.occurredAt, timezone),
    },
    { id: 'type', header: 'Event', cell: (event) => event.type },
    {
      id: 'partner',
      header: 'Partner and link',
      cell: (event) =>
        [
          event.partnerId && valueName('partner', event.partnerId, named),
          event.linkId && valueName('link', event.linkId, named),
        ]
          .filter(Boolean)
          .join(' · '),
    },
    { id: 'page', header: 'Page', className: 'max-w-64 break-words', cell: (event) => event.path },
    { id: 'source', header: 'Source', cell: (event) => event.source },
    { id: 'country', header: 'Country', cell: (event) => countryName(event.country) },
    { id: 'device', header: 'Device', cell: (event) => event.device },
  ];
  if (of === 'conversions' || of === 'everything')
    list.push({
      id: 'change',
      header: 'Change',
      numeric: true,
      className: 'whitespace-nowrap',
      cell: (event) => event.change && changeText(event.change, currency),
    });
  list.push({
    id: 'place',
    header: 'Log position',
    className: 'whitespace-nowrap font-mono text-xs',
    cell: (event) => `${event.topic}[${event.partition}]@${event.offset}`,
  });
  return list;
}

/** By how much a step moved the commission; a reversal takes from it. */
function changeText(change: NonNullable<LoggedEvent['change']>, currency: string): string {
  const amount = change.commissionPending + change.commissionApproved - change.commissionReversed;
  const sign = amount > 0 ? '+' : amount < 0 ? '−' : '±';
  return `${sign}${formatMinor({ amount: Math.abs(amount), currency })}`;
}
