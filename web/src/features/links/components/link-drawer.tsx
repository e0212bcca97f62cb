import { useQuery } from '@tanstack/react-query';
import { KeptFrom } from '@/components/data/kept-from';
import { More } from '@/components/data/more';
import { opened } from '@/components/data/opened';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { TestConversion } from '@/components/partners/test-conversion';
import { Badge } from '@/components/ui/badge';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { Link, TrackedClick, Website } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { formatCount, formatMinor } from '@/lib/format';
import { LinkBadges } from './link-actions';
import { linkClicksQuery, linkQuery, linkTopQuery } from '../api/links';
import { epcOf } from '../lib/figures';
import { RANGE_NAMES, type LinkRange } from '../lib/search';

const Variants = opened(
  () => import('./variants-card').then((module) => module.VariantsCard),
  <Skeleton className="h-40" />,
);

interface Props {
  readonly website: Website;
  readonly id: string;
  /** As the list has it, with the figures of its range; else those of all time are read. */
  readonly listed: Link | undefined;
  readonly range: LinkRange;
  readonly onClose: () => void;
}

/** One link: its address, figures, sources, places, and its latest clicks with their conversions. */
export function LinkDrawer({ website, id, listed, range, onClose }: Props) {
  const read = useQuery({ ...linkQuery(id), enabled: listed === undefined });
  const link = listed ?? read.data;
  return (
    <Dialog
      open
      as="drawer"
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={link ? `Link ${link.slug}` : 'Link'}
      description={link?.destination}
    >
      {read.error && !link ? (
        <ErrorBox error={read.error} onRetry={() => void read.refetch()} />
      ) : !link ? (
        <Skeleton className="h-96" />
      ) : (
        <div className="flex flex-col gap-6">
          <div className="flex flex-col gap-2">
            <CopyField label="Link address" value={link.url} />
            <LinkBadges link={link} />
          </div>
          <TestConversion link={link.id} />
          <Figures link={link} text={listed ? RANGE_NAMES[range] : RANGE_NAMES.all} />
          {link.variants.length > 0 && <Variants link={link.id} />}
          <div className="grid gap-6 sm:grid-cols-2">
            <Top title="Sources" by="source" website={website} link={link.id} range={range} />
            <Top title="Places" by="country" website={website} link={link.id} range={range} />
          </div>
          <Clicks link={link.id} website={website} />
        </div>
      )}
    </Dialog>
  );
}

function Figures({ link, text }: { readonly link: Link; readonly text: string }) {
  const figures: readonly (readonly [string, string])[] = [
    ['Clicks', link.clicks === null ? '–' : formatCount(link.clicks)],
    ['Conversions', link.conversions === null ? '–' : formatCount(link.conversions)],
    ['EPC', epcOf(link) ?? '–'],
    ['Revenue', link.earnings ? formatMinor(link.earnings) : '–'],
  ];
  return (
    <section aria-label="Numbers">
      <h3 className="mb-2 font-medium">{text}</h3>
      <dl className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name} className="rounded-lg bg-sunken px-3 py-2">
            <dt className="text-[0.8125rem] text-muted">{name}</dt>
            <dd className="tabular text-lg font-semibold">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface TopProps {
  readonly title: string;
  readonly by: 'source' | 'country';
  readonly website: Website;
  readonly link: string;
  readonly range: LinkRange;
}

/** The values of a dimension with most clicks of the link. */
function Top({ title, by, website, link, range }: TopProps) {
  const top = useQuery(linkTopQuery(website.id, link, by, range));
  const rows = top.data?.rows.filter((row) => row.clicks > 0) ?? [];
  const most = Math.max(1, ...rows.map((row) => row.clicks));
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="mb-2 font-medium">
        {title}
        <span className="ml-2 text-[0.8125rem] font-normal text-muted">{RANGE_NAMES[range]}</span>
      </h3>
      {top.error ? (
        <ErrorBox error={top.error} onRetry={() => void top.refetch()} />
      ) : !top.data ? (
        <Skeleton className="h-32" />
      ) : rows.length === 0 ? (
        <p className="text-muted">No clicks in this range.</p>
      ) : (
        <ul className="flex flex-col gap-1.5">
          {rows.map((row) => (
            <li key={row.values[by]} className="relative flex justify-between gap-3 rounded-md px-2 py-1">
              <span
                aria-hidden
                className="absolute inset-y-0 left-0 rounded-md bg-brand-soft"
                style={{ width: `${(100 * row.clicks) / most}%` }}
              />
              <span className="relative truncate">{row.label}</span>
              <span className="tabular relative">{formatCount(row.clicks)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Clicks({ link, website }: { readonly link: string; readonly website: Website }) {
  const { timezone } = website;
  const clicks = useCursorQuery(linkClicksQuery(link));
  const rows = clicks.rows ?? [];
  return (
    <section aria-label="Latest clicks">
      <h3 className="mb-2 font-medium">
        Latest clicks<span className="ml-2 text-[0.8125rem] font-normal text-muted">{timezone}</span>
      </h3>
      <KeptFrom day={clicks.first?.keptFrom} of={website.id} />
      {clicks.error ? (
        <ErrorBox error={clicks.error} onRetry={clicks.retry} />
      ) : !clicks.rows ? (
        <Skeleton className="h-40" />
      ) : rows.length === 0 ? (
        <p className="text-muted">No clicks yet.</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {rows.map((click) => (
            <li key={click.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
              <span className="tabular whitespace-nowrap">{formatZoned(click.occurredAt, timezone)}</span>
              <span className="min-w-0 flex-1 truncate text-[0.8125rem] text-muted">{describe(click)}</span>
              {click.conversions.map((conversion) => (
                <Badge key={conversion.id} tone={conversion.status === 'approved' ? 'good' : 'neutral'}>
                  {`${conversion.kind} ${formatMinor(conversion.commission)}, ${conversion.status}`}
                </Badge>
              ))}
            </li>
          ))}
        </ul>
      )}
      <More of={clicks} size="sm">
        Show more clicks
      </More>
    </section>
  );
}

const describe = (click: TrackedClick): string =>
  [click.country, click.device, click.browser, click.source, click.sub1, click.route].filter(Boolean).join(' · ');
