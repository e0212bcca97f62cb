import { CircleDollarSign, Eye, MousePointerClick, Radio, Sparkles, type LucideIcon } from 'lucide-react';
import { memo } from 'react';
import { MiniBars } from '@/components/charts/mini-bars';
import { Updated } from '@/components/charts/updated';
import { Empty, Skeleton } from '@/components/data/states';
import { Badge, type Tone } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import type { LiveData, LiveEvent, Website } from '@/lib/api/types';
import { ago, formatTime } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { useLive, type LiveStatus } from '@/lib/live';
import { useNow } from '@/lib/now';
import { minuteBars } from '../lib/live-minutes';

interface Props {
  readonly website: Website;
  readonly onPickCountry: (country: string) => void;
  readonly className?: string;
}

const STATUS: Record<LiveStatus, { readonly label: string; readonly tone: Tone }> = {
  connecting: { label: 'Connecting', tone: 'neutral' },
  live: { label: 'Live', tone: 'good' },
  reconnecting: { label: 'Reconnecting', tone: 'warn' },
  paused: { label: 'Paused', tone: 'neutral' },
};

/** The live state stays in here: nothing else on the page is drawn again when an event arrives. */
export const LiveCard = memo(function LiveCard({ website, onPickCountry, className }: Props) {
  const live = useLive(website.id, (state) => state);
  const status = STATUS[live.status];
  return (
    <Card
      title="Live"
      description="Visitors and events as they arrive"
      {...(className ? { className } : {})}
      actions={
        <span role="status" aria-label={`Live stream: ${status.label}`}>
          <Badge tone={status.tone}>
            <Radio aria-hidden className="size-3" />
            {status.label}
          </Badge>
        </span>
      }
    >
      {live.data ? (
        <Figures data={live.data} website={website} onPickCountry={onPickCountry} />
      ) : live.status === 'reconnecting' ? (
        <Empty className="min-h-72">Live updates are unavailable. Retrying automatically…</Empty>
      ) : (
        <Skeleton className="h-72" />
      )}
      <footer className="mt-3 flex justify-end">
        <Updated at={live.receivedAt ?? 0} />
      </footer>
    </Card>
  );
});

function Figures({
  data,
  website,
  onPickCountry,
}: {
  readonly data: LiveData;
  readonly website: Website;
  readonly onPickCountry: (country: string) => void;
}) {
  const now = useNow();
  const bars = minuteBars(data);
  const total = bars.reduce((sum, bar) => sum + bar.events, 0);
  return (
    <div className="flex flex-1 flex-col">
      <div className="flex items-end justify-between gap-4">
        <p>
          <span className="block text-3xl font-semibold tracking-tight tabular" data-testid="active-visitors">
            {formatCount(data.activeVisitors)}
          </span>
          <span className="text-[0.8125rem] text-muted">active in the last 5 minutes</span>
        </p>
        <p className="text-right text-[0.8125rem] text-muted">
          <span className="block font-semibold text-text tabular">{formatCount(total)}</span>
          events in 30 minutes
        </p>
      </div>
      <MiniBars
        className="mt-3 h-16"
        label={`Events per minute over the last 30 minutes, ${formatCount(total)} in all`}
        bars={bars.map((bar) => ({
          key: bar.minute,
          label: `${formatTime(bar.minute, website.timezone).slice(0, 5)}: ${formatCount(bar.events)}`,
          parts: [{ value: bar.events, color: 'var(--c-chart-1)' }],
        }))}
      />
      <h3 className="mt-4 mb-1 font-medium">Last events</h3>
      {data.recent.length === 0 ? (
        <Empty className="py-6">No event yet.</Empty>
      ) : (
        <ul role="list" aria-label="Last events" tabIndex={0} className="-mx-2 max-h-72 flex-1 overflow-y-auto">
          {data.recent.map((event) => (
            <EventRow key={event.id} event={event} now={now} onPickCountry={onPickCountry} />
          ))}
        </ul>
      )}
    </div>
  );
}

const ICONS: Record<string, LucideIcon> = {
  pageview: Eye,
  click: MousePointerClick,
  conversion: CircleDollarSign,
  sale: CircleDollarSign,
  lead: CircleDollarSign,
};

function EventRow({
  event,
  now,
  onPickCountry,
}: {
  readonly event: LiveEvent;
  readonly now: number;
  readonly onPickCountry: (country: string) => void;
}) {
  const Icon = ICONS[event.type] ?? Sparkles;
  const { country } = event;
  return (
    <li className="animate-fade-in flex items-center gap-2.5 rounded-md px-2 py-1.5">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">{event.type}</span>{' '}
        <span className="text-muted">{[event.partnerName, event.path, event.source].filter(Boolean).join(' · ')}</span>
      </span>
      {country && country !== 'ZZ' && (
        <button
          type="button"
          aria-label={`Filter by country ${country}`}
          onClick={() => onPickCountry(country)}
          className="rounded px-1 text-[0.8125rem] font-medium text-brand hover:underline"
        >
          {country}
        </button>
      )}
      <time
        dateTime={event.at}
        className="w-14 shrink-0 text-right text-[0.8125rem] whitespace-nowrap text-muted tabular"
      >
        {ago(Date.parse(event.at), now)}
      </time>
    </li>
  );
}
