import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bell as BellIcon } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { LatePopover } from '@/components/ui/late-popover';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { NotificationList } from './notification-list';
import { notificationsQuery, unseenQuery } from '../api/notifications';
import { useSeen } from '../hooks/use-seen';

const SHOWN = 6;
const MAX_COUNT = 99;

/** How many notifications are new, and the newest of them. */
export function Bell() {
  const [open, setOpen] = useState(false);
  const count = useQuery(unseenQuery);
  const unseen = count.data?.unseen ?? 0;
  return (
    <LatePopover
      label="Notifications"
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        if (next) void count.refetch(); // the newest are read now: their number, too
      }}
      trigger={
        <Button
          variant="ghost"
          size="icon"
          aria-label={unseen > 0 ? `Notifications, ${unseen} new` : 'Notifications'}
          className="relative"
        >
          <BellIcon aria-hidden className="size-[1.125rem]" />
          {unseen > 0 && (
            <span
              aria-hidden
              className="absolute -top-0.5 -right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-bad-solid px-1 text-[0.625rem] font-semibold text-white tabular"
            >
              {unseen > MAX_COUNT ? `${MAX_COUNT}+` : unseen}
            </span>
          )}
        </Button>
      }
    >
      <Newest onClose={() => setOpen(false)} unseen={unseen} />
    </LatePopover>
  );
}

function Newest({ onClose, unseen }: { readonly onClose: () => void; readonly unseen: number }) {
  const query = useCursorQuery(notificationsQuery(false));
  const seen = useSeen();
  const rows = query.first?.data.slice(0, SHOWN) ?? [];
  return (
    <div className="-m-4">
      <div className="flex h-12 items-center justify-between gap-3 border-b border-line px-4">
        <h2 className="font-semibold">Notifications</h2>
        {unseen > 0 && (
          <Button variant="ghost" size="sm" busy={seen.busy} onClick={seen.seeAll}>
            Mark all as read
          </Button>
        )}
      </div>
      <div className="max-h-[60vh] overflow-y-auto">
        {query.error ? (
          <ErrorBox error={query.error} onRetry={query.retry} className="m-3" />
        ) : query.isPending ? (
          <Skeleton className="m-3 h-24" />
        ) : rows.length === 0 ? (
          <Empty className="py-8">No notifications yet.</Empty>
        ) : (
          <NotificationList
            rows={rows}
            onOpen={(row) => {
              if (!row.seen) seen.see(row.id);
              onClose();
            }}
          />
        )}
      </div>
      <div className="border-t border-line p-2 text-center">
        <Link
          to="/notifications"
          onClick={onClose}
          className="block rounded-md py-1 font-medium text-brand hover:underline"
        >
          See all notifications
        </Link>
      </div>
    </div>
  );
}
