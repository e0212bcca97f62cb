import { CircleDollarSign, Eye, MousePointerClick, Radio, Sparkles, type LucideIcon } from 'lucide-react';
import { memo } from 'react';
import { MiniBars } from '@/components/charts/mini-bars';
import { Empty, Skeleton } from '@/components/data/states';
import { Badge, type Tone } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { Tabs } from '@/components/ui/tabs';
import type { LiveData, LiveEvent, Website } from '@/lib/api/types';
import { ago, formatTime } from '@/lib/dates';
import { countOf, formatCount } from '@/lib/format';
import { useLive, type LiveStatus } from '@/lib/api/live';
import { useNow } from '@/lib/dates/now';
import { useRemembered } from '@/lib/storage/remembered';
import { valueName } from '../lib/dimensions';
import { minuteBars } from '../lib/live-minutes';
import type { Dimension } from '../lib/search';

interface Props {
  readonly website: Website;
  readonly onPick: (dimension: Dimension, value: string) => void;
  readonly className?: string;
}

const STATUS: Record<LiveStatus, { readonly label: string; readonly tone: Tone }> = {
  connecting: { label: 'Connecting', tone: 'neutral' },
  live: { label: 'Live', tone: 'good' },
  reconnecting: { label: 'Reconnecting', tone: 'warn' },
  paused: { label: 'Paused', tone: 'neutral' },
};

/** The live state stays in here: nothing else on the page is drawn again when an event arrives. */
export const LiveCard = memo(function LiveCard({ website, onPick, className }: Props) {
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
        <Figures data={live.data} website={website} onPick={onPick} />
      ) : live.status === 'reconnecting' ? (
        <Empty className="min-h-72">Live updates are unavailable. Retrying automatically…</Empty>
      ) : (
        <Skeleton className="h-72" />
      )}
    </Card>
  );
});

interface FiguresProps extends Pick<Props, 'website' | 'onPick'> {
  readonly data: LiveData;
}

const VIEWS = ['feed', 'page', 'source', 'country', 'event'] as const;
const VIEW_NAMES = {
  feed: 'Last events',
  page: 'Pages',
  source: 'Sources',
  country: 'Places',
  event: 'Events',
} as const;

function Figures({ data, website, onPick }: FiguresProps) {
  const [view, setView] = useRemembered('live.view', VIEWS, 'feed');
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
        className="mt-5 h-16"
        label={`Events per minute over the last 30 minutes, ${formatCount(total)} in all`}
        bars={bars.map((bar) => ({
          key: bar.minute,
          label: `${formatTime(bar.minute, website.timezone).slice(0, 5)}: ${countOf(bar.events, 'event')}`,
          tick: formatTime(bar.minute, website.timezone).slice(0, 5),
          parts: [{ value: bar.events, color: 'var(--c-chart-1)' }],
        }))}
      />
      <div className="mt-3">
        <Tabs
          label="Last 30 minutes"
          look="compact"
          value={view}
          onChange={(id) => setView(VIEWS.find((item) => item === id) ?? 'feed')}
          tabs={VIEWS.map((id) => ({
            id,
            label: VIEW_NAMES[id],
            content:
              id === 'feed' ? (
                <Feed events={data.recent} onPick={onPick} />
              ) : (
                <Top dimension={id} values={data.top[id]} onPick={onPick} />
              ),
          }))}
        />
      </div>
    </div>
  );
}

function Feed({ events, onPick }: { readonly events: readonly LiveEvent[]; readonly onPick: Props['onPick'] }) {
  const now = useNow();
  if (events.length === 0) return <Empty className="h-60">No events yet.</Empty>;
  return (
    <ul role="list" aria-label="Last events" tabIndex={0} className="-mx-2 h-60 overflow-y-auto">
      {events.map((event) => (
        <EventRow key={event.id} event={event} now={now} onPick={onPick} />
      ))}
    </ul>
  );
}

interface TopProps extends Pick<Props, 'onPick'> {
  readonly dimension: 'page' | 'source' | 'country' | 'event';
  readonly values: LiveData['top']['page'];
}

const NO_NAMES = { partners: [], links: [] };

/** The last 30 minutes by one dimension; a click on a value filters the page. */
function Top({ dimension, values, onPick }: TopProps) {
  if (values.length === 0) return <Empty className="h-60">No events in the last 30 minutes.</Empty>;
  const most = Math.max(1, ...values.map((item) => item.visitors));
  return (
    <ul role="list" aria-label={VIEW_NAMES[dimension]} tabIndex={0} className="h-60 overflow-y-auto">
      {values.map((item) => (
        <li key={item.value}>
          <button
            type="button"
            className="relative flex min-h-8 w-full items-center gap-3 rounded-md px-2 text-left hover:bg-sunken max-sm:min-h-10"
            onClick={() => onPick(dimension, item.value)}
          >
            <span
              aria-hidden
              className="absolute inset-y-0.5 left-0 rounded-md bg-brand-soft"
              style={{ width: `${(item.visitors / most) * 100}%` }}
            />
            <span className="relative min-w-0 flex-1 truncate">
              <span className="sr-only">Filter by </span>
              {valueName(dimension, item.value, NO_NAMES)}
            </span>
            <span className="relative text-muted tabular">
              <span className="sr-only">, </span>
              {countOf(item.visitors, 'visitor')}, {countOf(item.events, 'event')}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const ICONS: Record<string, LucideIcon> = {
  pageview: Eye,
  click: MousePointerClick,
  conversion: CircleDollarSign,
  sale: CircleDollarSign,
  lead: CircleDollarSign,
};

interface EventProps extends Pick<Props, 'onPick'> {
  readonly event: LiveEvent;
  readonly now: number;
}

function EventRow({ event, now, onPick }: EventProps) {
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
          onClick={() => onPick('country', country)}
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
