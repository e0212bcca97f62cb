import { useQuery } from '@tanstack/react-query';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { describeAction } from '@/lib/labels/audit-actions';
import { formatZoned } from '@/lib/dates';
import { userQuery } from '@/lib/api/shared-queries';
import { activityQuery } from '../api/activity';

export function ActivityCard() {
  const zone = useQuery(userQuery).data?.timezone ?? 'UTC';
  const activity = useCursorQuery(activityQuery);
  const rows = activity.rows ?? [];
  return (
    <Card title="Your activity" description="Actions on your account, including rejected ones">
      {activity.error && <ErrorBox className="mb-3" error={activity.error} onRetry={activity.retry} />}
      {!activity.rows ? (
        !activity.error && <Skeleton className="h-40" />
      ) : rows.length === 0 ? (
        <Empty>Nothing yet</Empty>
      ) : (
        <>
          <ul aria-label="Your activity" className="divide-y divide-line">
            {rows.map((row) => (
              <li key={row.seq} className="flex flex-wrap items-baseline gap-x-3 py-2 first:pt-0">
                <p className="min-w-0 flex-1 basis-48">
                  {describeAction(row.action)}
                  {typeof row.details['reason'] === 'string' && row.actorId !== row.accountId && (
                    <span className="block text-[0.8125rem] text-muted [overflow-wrap:anywhere]">
                      By an admin: {row.details['reason']}
                    </span>
                  )}{' '}
                  {row.outcome === 'refused' && <Badge tone="bad">Rejected</Badge>}
                </p>
                <p className="text-[0.8125rem] text-muted tabular">
                  {[row.device, row.address, formatZoned(row.at, zone)].filter(Boolean).join(', ')}
                </p>
              </li>
            ))}
          </ul>
          <More of={activity} />
        </>
      )}
    </Card>
  );
}
