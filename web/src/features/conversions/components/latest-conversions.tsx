import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import type { Website } from '@/lib/api/types';
import { formatDateTime } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { StatusBadge } from './status-badge';
import { latestConversionsQuery } from '../api/conversions';

export const LATEST = 6;

export function LatestConversions({
  website,
  more,
  className,
}: {
  readonly website: Website;
  readonly more: ReactNode;
  readonly className?: string;
}) {
  const query = useQuery(latestConversionsQuery(website.id, LATEST));
  return (
    <Card
      title="Latest conversions"
      description="Latest sales and leads"
      actions={more}
      {...(className ? { className } : {})}
    >
      {query.error ? (
        <ErrorBox error={query.error} prefix="Error loading conversions" onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <div role="status" aria-label="Loading Latest conversions">
          <Skeleton className="h-32" />
        </div>
      ) : query.data.length === 0 ? (
        <Empty>No conversion has been reported yet.</Empty>
      ) : (
        <ul className="-my-1 divide-y divide-line">
          {query.data.map((row) => (
            <li key={row.id} className="flex items-center gap-3 py-2.5">
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{row.partnerName ?? 'Unattributed'}</p>
                <p className="truncate text-[0.8125rem] text-muted">
                  {formatDateTime(row.occurredAt, website.timezone)} · {row.txid}
                </p>
              </div>
              <div className="flex flex-col-reverse items-end gap-1 sm:flex-row sm:items-center sm:gap-3">
                <StatusBadge status={row.status} />
                <p className="text-right font-medium tabular sm:w-24">{formatMinor(row.commission)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
