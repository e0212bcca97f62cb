import { BellOff } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { NotificationList } from './notification-list';
import { notificationsQuery } from '../api/notifications';
import { useSeen } from '../hooks/use-seen';

/** All notifications, newest first. `settings`: link to the preferences. */
export function NotificationsPanel({ settings }: { readonly settings: ReactNode }) {
  const [unseenOnly, setUnseenOnly] = useState(false);
  const query = useCursorQuery(notificationsQuery(unseenOnly));
  const seen = useSeen();
  const rows = query.rows ?? [];
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <Select
          label="Notifications"
          value={unseenOnly ? 'new' : 'all'}
          onChange={(event) => setUnseenOnly(event.target.value === 'new')}
        >
          <option value="all">All</option>
          <option value="new">New only</option>
        </Select>
        <div className="flex flex-wrap gap-2">
          {settings}
          <Button busy={seen.busy} onClick={seen.seeAll}>
            Mark all as read
          </Button>
        </div>
      </div>
      <section aria-label="All notifications" className={surface}>
        {query.error ? (
          <ErrorBox error={query.error} prefix="Error loading notifications" onRetry={query.retry} className="m-4" />
        ) : query.isPending ? (
          <div role="status" aria-label="Loading notifications" className="flex flex-col gap-3 p-4">
            <Skeleton className="h-12" />
            <Skeleton className="h-12" />
            <Skeleton className="h-12" />
          </div>
        ) : rows.length === 0 ? (
          <Empty icon={<BellOff aria-hidden className="size-5" />}>
            {unseenOnly ? 'Nothing new.' : 'No notifications yet.'}
          </Empty>
        ) : (
          <NotificationList rows={rows} onOpen={(row) => !row.seen && seen.see(row.id)} />
        )}
        <More of={query} className="border-t border-line p-3 text-center" />
      </section>
    </>
  );
}
