import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { opened } from '@/components/data/opened';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { TestConversion } from '@/components/partners/test-conversion';
import { Badge } from '@/components/ui/badge';
import { buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import type { Link, Website } from '@/lib/api/types';
import { formatCount, formatMoney } from '@/lib/format';
import { linkOverviewQuery } from '../api/one-link';
import { RANGE_NAMES, type LinkRange } from '../lib/search';
import { LinkBadges } from './link-actions';
import { LinkClicks } from './link-clicks';
import { LinkHistory } from './link-history';
import { LinkTop, type TopDimension } from './link-top';

const Variants = opened(
  () => import('./variants-card').then((module) => module.VariantsCard),
  <Skeleton className="h-40" />,
);

interface Props {
  readonly website: Website;
  readonly link: Link;
  readonly range: LinkRange;
}

const TOPS: readonly (readonly [title: string, by: TopDimension])[] = [
  ['Sources', 'source'],
  ['Pages', 'page'],
  ['Placements', 'placement'],
  ['Countries', 'country'],
];

/** All of one link: address, numbers, destinations, where its clicks come from, each click, and its changes. */
export function LinkView({ website, link, range }: Props) {
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-2">
        <Address link={link} />
        <Figures website={website} link={link.id} range={range} />
      </div>
      <Destinations link={link} />
      <div className="grid gap-4 sm:gap-5 md:grid-cols-2">
        {TOPS.map(([title, by]) => (
          <LinkTop key={by} title={title} by={by} websiteId={website.id} link={link.id} range={range} />
        ))}
      </div>
      <div className="grid items-start gap-4 sm:gap-5 xl:grid-cols-2">
        <LinkClicks link={link.id} website={website} />
        <LinkHistory link={link.id} timezone={website.timezone} />
      </div>
    </div>
  );
}

function Address({ link }: { readonly link: Link }) {
  const qr = `/api/platform/links/${encodeURIComponent(link.id)}/qr.svg`;
  return (
    <Card title="Address">
      <div className="flex flex-wrap gap-4">
        <div className="flex min-w-0 flex-1 basis-60 flex-col gap-3">
          <CopyField label="Link address" value={link.url} />
          <p className="flex flex-wrap gap-1">
            <Badge tone={link.isActive ? 'good' : 'bad'}>{link.isActive ? 'On' : 'Off'}</Badge>
            {link.isArchived && <Badge>Archived</Badge>}
            {link.folder && <Badge>{link.folder}</Badge>}
            {link.tags.map((tag) => (
              <Badge key={tag} tone="brand">
                {tag}
              </Badge>
            ))}
          </p>
          <LinkBadges link={link} />
          <TestConversion link={link.id} />
        </div>
        <div className="flex flex-col items-center gap-2">
          <img
            src={qr}
            alt={`QR code of ${link.url}`}
            className="size-32 rounded-lg border border-line bg-white"
            loading="lazy"
          />
          <a href={qr} download={`${link.slug}.svg`} className={buttonClass({ size: 'sm' })}>
            <Download aria-hidden className="size-3.5" />
            Download QR code
          </a>
        </div>
      </div>
    </Card>
  );
}

function Figures({
  website,
  link,
  range,
}: {
  readonly website: Website;
  readonly link: string;
  readonly range: LinkRange;
}) {
  const overview = useQuery(linkOverviewQuery(website.id, link, range));
  const shown = overview.data;
  const { total: clicks } = shown?.clicks ?? { total: 0 };
  const money = (value: number) => formatMoney(value, shown?.currency ?? website.currency);
  const figures: readonly (readonly [string, string])[] = shown
    ? [
        ['Clicks', formatCount(clicks)],
        ['Unique', formatCount(shown.clicks.unique)],
        ['Conversions', formatCount(shown.conversions.total)],
        ['Revenue', money(shown.revenue.total)],
        ['EPC', clicks > 0 ? money(shown.revenue.total / clicks) : '–'],
        ['Pending', formatCount(shown.conversions.pending)],
      ]
    : [];
  return (
    <Card title="Numbers" description={`${RANGE_NAMES[range]}, bots excluded`}>
      {overview.error && !shown ? (
        <ErrorBox error={overview.error} onRetry={() => void overview.refetch()} />
      ) : !shown ? (
        <Skeleton className="h-32" />
      ) : (
        <dl className="grid grid-cols-2 gap-2 sm:grid-cols-3" aria-busy={overview.isFetching}>
          {figures.map(([name, value]) => (
            <div key={name} className="min-w-0 rounded-lg bg-sunken px-3 py-2">
              <dt className="text-[0.8125rem] text-muted">{name}</dt>
              <dd className="tabular truncate text-lg font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}

function Destinations({ link }: { readonly link: Link }) {
  const hasSplit = link.variants.length > 0;
  return (
    <Card title="Destinations">
      <dl className="flex flex-col gap-2">
        {link.rules.map((rule, place) => (
          <Destination key={place} name={[...rule.countries, ...rule.devices].join(', ')}>
            {rule.destination}
          </Destination>
        ))}
        {!hasSplit && (
          <Destination name={link.rules.length > 0 ? 'Everyone else' : 'Everyone'}>{link.destination}</Destination>
        )}
        {link.fallback && <Destination name="When it is off or expired">{link.fallback}</Destination>}
      </dl>
      {hasSplit && <Variants link={link.id} />}
    </Card>
  );
}

function Destination({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid gap-x-3 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
