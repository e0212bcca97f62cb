import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Column } from '@/components/data/table';
import type { SocialRow } from '@/lib/api/types';
import { formatCount, formatMinor, formatPercent } from '@/lib/format';
import { NETWORKS } from '../lib/networks';
import type { Sort, SortKey } from '../lib/report';
import { PostName } from './post-name';

interface Options {
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  /** Links a channel to its posts. */
  readonly posts: (channel: SocialRow) => ReactNode;
}

const count = (value: number | null): string => (value === null ? '–' : formatCount(value));
const rate = (value: number | null): string => (value === null ? '–' : formatPercent(value));

/** The columns of the revenue report. */
export function reportColumns({ sort, onSort, posts }: Options): readonly Column<SocialRow>[] {
  const numeric = true;
  const by = (key: SortKey, label: string) => sortable(key, label, sort, onSort);
  return [
    {
      id: 'name',
      ...by('name', 'Channel and post'),
      cell: (row) => (row.kind === 'post' ? <PostName row={row} /> : <ChannelName row={row} />),
      className: 'min-w-52 max-w-80',
    },
    {
      id: 'followers',
      header: 'Followers',
      cell: (row) => (row.kind === 'channel' ? count(row.followers) : ''),
      numeric,
    },
    { id: 'views', ...by('views', 'Views'), cell: (row) => count(row.views), numeric },
    { id: 'clicks', ...by('clicks', 'Clicks'), cell: (row) => formatCount(row.clicks), numeric },
    { id: 'click-rate', header: 'Click rate', cell: (row) => rate(row.clickRate), numeric },
    { id: 'sales', ...by('sales', 'Sales'), cell: (row) => formatCount(row.conversions), numeric },
    {
      id: 'conversion-rate',
      header: 'Conversion rate',
      cell: (row) => rate(row.clicks > 0 ? row.conversionRate : null),
      numeric,
    },
    {
      id: 'revenue',
      ...by('revenue', 'Revenue'),
      cell: (row) => formatMinor({ amount: row.revenueAmount, currency: row.currency }),
      numeric,
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (row.kind === 'channel' ? posts(row) : ''),
    },
  ];
}

function ChannelName({ row }: { readonly row: SocialRow }) {
  return (
    <>
      <a
        href={row.url}
        target="_blank"
        rel="noopener noreferrer"
        className="font-semibold wrap-anywhere text-brand hover:underline"
      >
        {row.name}
      </a>
      <span className="block text-xs text-muted">{NETWORKS[row.network].label}</span>
    </>
  );
}

function sortable(key: SortKey, label: string, sort: Sort, onSort: (sort: Sort) => void) {
  const [down, up] = [sort === `-${key}`, sort === key];
  return {
    label,
    sorted: down ? ('descending' as const) : up ? ('ascending' as const) : ('none' as const),
    header: (
      <button
        type="button"
        className="inline-flex items-center gap-1 rounded font-medium hover:text-text"
        onClick={() => onSort(down || (key === 'name' && !up) ? key : `-${key}`)}
      >
        {label}
        {down && <ArrowDown aria-hidden className="size-3" />}
        {up && <ArrowUp aria-hidden className="size-3" />}
      </button>
    ),
  };
}
