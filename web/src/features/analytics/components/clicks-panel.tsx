import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowRight, Download, MousePointerClick, Pause, Play, X } from 'lucide-react';
import { useState } from 'react';
import { Updated } from '@/components/charts/updated';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { KeptFrom } from '@/components/data/kept-from';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CountriesSelect } from '@/components/ui/countries-field';
import { Select } from '@/components/ui/field';
import { dropLaterPages, useCursorQuery } from '@/lib/api/cursor-query';
import type { TrackedClick } from '@/lib/api/types';
import { countryName, UNKNOWN_COUNTRY } from '@/lib/labels/countries';
import { browserTimezone, formatDateTime, formatTime, formatZoned } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { clicksParams, DEVICES, NO_CLICKS_FILTER, type ClicksFilter } from '../lib/clicks-search';
import { clicksQuery, linkChoicesQuery } from '../api/click-log';

const LIVE_MS = 2000;

interface Props {
  /** With `conversionId`: the click of this conversion and nothing else. */
  readonly filter: ClicksFilter;
  readonly onFilter: (filter: ClicksFilter) => void;
}

/** The live click log with the conversions of each click. */
export function ClicksPanel({ filter, onFilter }: Props) {
  const client = useQueryClient();
  const [paused, setPaused] = useState(false);
  const options = clicksQuery(filter);
  const query = useCursorQuery({ ...options, refetchInterval: paused ? false : LIVE_MS });
  const rows = query.rows ?? [];
  const resume = () => {
    // Only the first page is live: older loaded pages are dropped.
    dropLaterPages(client, options.queryKey);
    setPaused(false);
  };
  const older = () => {
    setPaused(true);
    query.loadNext();
  };
  // The filters for a link and a conversion leave one website, too.
  const website = filter.websiteId || (filter.linkId || filter.conversionId ? rows[0]?.websiteId : undefined);
  const csv = `/api/admin/clicks.csv?${new URLSearchParams(clicksParams(filter)).toString()}`;
  return (
    <Card
      title="Click Tracking"
      description={paused ? 'Paused' : 'Live'}
      actions={
        <>
          <Updated at={query.updatedAt} />
          <Button size="sm" aria-pressed={paused} onClick={() => (paused ? resume() : setPaused(true))}>
            {paused ? <Play aria-hidden className="size-3.5" /> : <Pause aria-hidden className="size-3.5" />}
            {paused ? 'Resume' : 'Pause'}
          </Button>
          <a href={csv} download="clicks.csv" className={buttonClass({ size: 'sm' })}>
            <Download aria-hidden className="size-3.5" />
            Export CSV
          </a>
        </>
      }
    >
      {filter.conversionId ? (
        <p className="mb-4 flex flex-wrap items-center gap-3 text-muted">
          The click behind one conversion.
          <Button size="sm" onClick={() => onFilter(NO_CLICKS_FILTER)}>
            <X aria-hidden className="size-3.5" />
            Show all clicks
          </Button>
        </p>
      ) : (
        <Filters filter={filter} onChange={onFilter} />
      )}
      {query.error && (
        <ErrorBox error={query.error} prefix="Error loading clicks" onRetry={query.retry} className="mb-3" />
      )}
      <KeptFrom day={query.first?.keptFrom} of={website ?? 'installation'} />
      {!query.rows ? (
        !query.error && <Loading label="Loading clicks" />
      ) : rows.length === 0 ? (
        <Empty icon={<MousePointerClick aria-hidden className="size-5" />} title="No clicks">
          {filter.conversionId
            ? 'No click is recorded for it.'
            : Object.keys(clicksParams(filter)).length > 0
              ? 'No clicks match these filters.'
              : 'The first click appears here as soon as someone follows a link.'}
        </Empty>
      ) : (
        <>
          <Rows caption="Clicks" columns={COLUMNS} rows={rows} rowKey={(row) => row.id} maxHeight="max-h-[70vh]" />
          <More of={query} className="mt-3 text-center" onLoad={older}>
            Show older clicks
          </More>
        </>
      )}
    </Card>
  );
}

function Filters({
  filter,
  onChange,
}: {
  readonly filter: ClicksFilter;
  readonly onChange: (filter: ClicksFilter) => void;
}) {
  const websites = useQuery(websitesQuery);
  const partners = useQuery(partnersQuery);
  const links = useQuery(linkChoicesQuery(filter.websiteId, filter.partnerId));
  const set = (change: Partial<ClicksFilter>) => onChange({ ...filter, ...change });
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <Select
        label="Website"
        value={filter.websiteId}
        onChange={(event) => set({ websiteId: event.target.value, linkId: '' })}
      >
        <option value="">All websites</option>
        {websites.data?.map((item) => (
          <option key={item.id} value={item.id}>
            {item.domain}
          </option>
        ))}
      </Select>
      <Select
        label="Partner"
        value={filter.partnerId}
        onChange={(event) => set({ partnerId: event.target.value, linkId: '' })}
      >
        <option value="">All partners</option>
        {partners.data?.map((item) => (
          <option key={item.id} value={item.id}>
            {item.name}
          </option>
        ))}
      </Select>
      <Select
        label="Link"
        value={filter.linkId}
        onChange={(event) => set({ linkId: event.target.value })}
        className="sm:max-w-48"
      >
        <option value="">All links</option>
        {links.data?.map((item) => (
          <option key={item.id} value={item.id}>{`/go/${item.slug}`}</option>
        ))}
      </Select>
      <CountriesSelect
        label="Countries"
        none="All countries"
        values={filter.countries}
        onChange={(countries) => set({ countries })}
      />
      <Select label="Device" value={filter.device} onChange={(event) => set({ device: event.target.value })}>
        <option value="">All devices</option>
        {DEVICES.map((device) => (
          <option key={device} value={device}>
            {device}
          </option>
        ))}
      </Select>
      <Select
        label="Bots"
        value={filter.bots}
        onChange={(event) => set({ bots: event.target.value as ClicksFilter['bots'] })}
      >
        <option value="include">All traffic</option>
        <option value="exclude">Humans only</option>
        <option value="only">Bots only</option>
      </Select>
      {Object.keys(clicksParams(filter)).length > 0 && (
        <Button variant="ghost" onClick={() => onChange(NO_CLICKS_FILTER)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

const zone = browserTimezone();

const COLUMNS: readonly Column<TrackedClick>[] = [
  {
    id: 'time',
    header: 'Time',
    cell: (row) => (
      <time dateTime={row.occurredAt} title={formatZoned(row.occurredAt, zone)} className="whitespace-nowrap tabular">
        {formatDateTime(row.occurredAt, zone)}
        <span className="text-muted">{formatTime(row.occurredAt, zone).slice(5)}</span>
        {formatZoned(row.occurredAt, zone).slice(formatDateTime(row.occurredAt, zone).length)}
      </time>
    ),
  },
  {
    id: 'link',
    header: 'Link',
    cell: (row) => (
      <>
        <span className="block font-medium sm:whitespace-nowrap">{row.slug ? `/go/${row.slug}` : 'No link'}</span>
        <span className="block text-[0.8125rem] text-muted">
          {row.domain ?? 'Removed website'}
          {row.sub1 && ` · ${row.sub1}`}
        </span>
      </>
    ),
  },
  { id: 'partner', header: 'Partner', cell: (row) => row.partnerName ?? '–' },
  {
    id: 'visitor',
    header: 'Visitor',
    cell: (row) => (
      <>
        <span className="block whitespace-nowrap">
          {[row.country === UNKNOWN_COUNTRY ? 'Unknown country' : countryName(row.country), row.device]
            .filter(Boolean)
            .join(', ')}
        </span>
        <span className="block text-[0.8125rem] whitespace-nowrap text-muted">
          {[row.browser, row.os, row.source].filter(Boolean).join(', ')}
        </span>
      </>
    ),
  },
  {
    id: 'bot',
    header: 'Bot',
    cell: (row) =>
      row.isBot ? (
        <Badge tone="warn">{capital((row.botReason || 'bot').replaceAll('_', ' '))}</Badge>
      ) : (
        <span className="text-muted">No</span>
      ),
  },
  { id: 'way', header: 'Conversion path', cell: (row) => <Way click={row} /> },
];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const TONES: Readonly<Record<string, Tone>> = { pending: 'warn', approved: 'good', rejected: 'bad', reversed: 'bad' };

/** Click → conversion → commission. */
function Way({ click }: { readonly click: TrackedClick }) {
  const arrow = <ArrowRight aria-hidden className="size-3.5 shrink-0 text-muted" />;
  return (
    <ul className="flex flex-col gap-1">
      {click.conversions.length === 0 ? (
        <li className="flex flex-wrap items-center gap-1.5 text-muted">
          Click{click.route && ` (${click.route})`} {arrow} no conversion
        </li>
      ) : (
        click.conversions.map((item) => (
          <li key={item.id} className="flex flex-wrap items-center gap-1.5 sm:flex-nowrap sm:whitespace-nowrap">
            Click{click.route && ` (${click.route})`} {arrow} {item.kind} {item.txid}{' '}
            <Badge tone={TONES[item.status] ?? 'neutral'}>{capital(item.status)}</Badge> {arrow}
            <span className="font-medium tabular">{formatMinor(item.commission)}</span>
          </li>
        ))
      )}
    </ul>
  );
}
