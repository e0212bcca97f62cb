import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import { countryName } from '@/lib/labels/countries';
import { DIRECT } from '@/lib/labels/sources';
import { linkTopQuery } from '../api/one-link';
import { RANGE_NAMES, type LinkRange } from '../lib/search';

export type TopDimension = 'source' | 'page' | 'placement' | 'country';

interface Props {
  readonly title: string;
  readonly by: TopDimension;
  readonly websiteId: string;
  readonly link: string;
  readonly range: LinkRange;
}

/** The values of a dimension with most clicks of the link. */
export function LinkTop({ title, by, websiteId, link, range }: Props) {
  const top = useQuery(linkTopQuery(websiteId, link, by, range));
  const found = top.data?.rows.filter((row) => row.clicks > 0) ?? [];
  const rows = found.toSorted((one, other) => Number(isUnset(one.values[by])) - Number(isUnset(other.values[by])));
  const highest = Math.max(1, ...rows.map((row) => row.clicks));
  return (
    <Card title={title} description={RANGE_NAMES[range]}>
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
                style={{ width: `${(100 * row.clicks) / highest}%` }}
              />
              <span
                dir="auto"
                className={cx('relative truncate', isUnset(row.values[by]) && 'text-muted')}
                title={nameOf(by, row.values[by], row.label)}
              >
                {nameOf(by, row.values[by], row.label)}
              </span>
              <span className="tabular relative">{formatCount(row.clicks)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** As the analytics page names it: a visit that no page sent is direct. */
function nameOf(by: TopDimension, value = '', label = ''): string {
  if (by === 'source' && value === '') return DIRECT;
  return by === 'country' && value !== '' ? countryName(value) : label;
}

/** It is no finding: it comes last. */
const isUnset = (value: string | undefined): boolean => !value;
