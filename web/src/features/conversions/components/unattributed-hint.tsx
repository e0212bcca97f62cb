import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Website } from '@/lib/api/types';
import { formatCount } from '@/lib/format';
import { totalsQuery } from '../api/totals';
import { NO_FILTERS, type Filters } from '../lib/search';

interface Props {
  readonly website: Pick<Website, 'id' | 'timezone'>;
  readonly period: Pick<Filters, 'range' | 'from' | 'to'>;
  /** The link to the list of these filters. */
  readonly link: (filters: Partial<Filters>, text: string) => ReactNode;
}

/** "3 unattributed": sales that no number above counts, because no click was found. Nothing when there are none. */
export function UnattributedHint({ website, period, link }: Props) {
  const { data } = useQuery(totalsQuery(website, { ...NO_FILTERS, ...period, attributed: 'no' }));
  const open = (data?.statuses ?? []).filter((item) => item.status === 'pending' || item.status === 'approved');
  const count = open.reduce((sum, item) => sum + item.count, 0);
  if (count === 0) return null;
  return link({ ...period, attributed: 'no' }, `${formatCount(count)} unattributed`);
}
