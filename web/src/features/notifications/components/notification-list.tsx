import { Link } from '@tanstack/react-router';
import {
  AtSign,
  Bell,
  Handshake,
  Heart,
  MessageSquare,
  Quote,
  Shield,
  Tag,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';
import { useState } from 'react';
import { When } from '@/components/data/when';
import { cx } from '@/lib/cx';
import { parseSearch } from '@/lib/url/search';
import type { Notification } from '../api/notifications';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  mention: AtSign,
  quote: Quote,
  reply: MessageSquare,
  like: Heart,
  moderation: Shield,
  admin_act: Shield,
  offer: Tag,
  offer_message: MessageSquare,
  deal: Handshake,
  alert: TriangleAlert,
  webhook: TriangleAlert,
};

interface Props {
  readonly rows: readonly Notification[];
  /** One was opened. */
  readonly onOpen: (notification: Notification) => void;
}

/** The newest of each deal, with those before it folded below. */
export function NotificationList({ rows, onOpen }: Props) {
  return (
    <ul aria-label="Notifications" className="divide-y divide-line">
      {threadsOf(rows).map(([newest, ...earlier]) => (
        <li key={newest.id}>
          <Row row={newest} onOpen={onOpen} />
          {earlier.length > 0 && <Earlier rows={earlier} onOpen={onOpen} />}
        </li>
      ))}
    </ul>
  );
}

type Thread = readonly [Notification, ...Notification[]];

/** Of one deal, wherever they stand; every other notification is alone. */
function threadsOf(rows: readonly Notification[]): readonly Thread[] {
  const threads = new Map<string, [Notification, ...Notification[]]>();
  for (const row of rows) {
    const key = row.path.startsWith('/marketplace/deals/') ? row.path.replace(/[?#].*/, '') : row.id;
    const thread = threads.get(key);
    if (thread) thread.push(row);
    else threads.set(key, [row]);
  }
  return [...threads.values()];
}

function Earlier({ rows, onOpen }: Props) {
  const [open, setOpen] = useState(false);
  const fresh = rows.filter((row) => !row.seen).length;
  return (
    <div className="pb-2 pl-11">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="rounded px-4 py-1 text-[0.8125rem] font-medium text-brand hover:underline max-sm:min-h-10"
      >
        {`${rows.length} earlier about this deal${fresh > 0 ? ` (${fresh} new)` : ''}`}
      </button>
      {open && rows.map((row) => <Row key={row.id} row={row} onOpen={onOpen} />)}
    </div>
  );
}

function Row({ row, onOpen }: { readonly row: Notification; readonly onOpen: (notification: Notification) => void }) {
  const Icon = ICONS[row.kind] ?? Bell;
  return (
    <div className="relative flex items-start gap-3 px-4 py-3 hover:bg-sunken/60">
      <span
        className={cx(
          'grid size-8 shrink-0 place-items-center rounded-full',
          row.seen ? 'bg-sunken text-muted' : 'bg-brand-soft text-brand',
        )}
      >
        <Icon aria-hidden className="size-4" />
      </span>
      <div className="min-w-0 flex-1">
        <Target row={row} onOpen={onOpen} />
        <p className="mt-0.5 text-[0.8125rem] text-muted">
          <When at={row.at} />
        </p>
      </div>
      {!row.seen && <span aria-hidden className="mt-2 size-2.5 shrink-0 rounded-full bg-brand" />}
    </div>
  );
}

function Target({
  row,
  onOpen,
}: {
  readonly row: Notification;
  readonly onOpen: (notification: Notification) => void;
}) {
  const look = cx(
    'block rounded text-left [overflow-wrap:anywhere] before:absolute before:inset-0',
    !row.seen && 'font-medium',
  );
  const words = (
    <>
      {row.title}
      {!row.seen && (
        <>
          {' '}
          <span className="sr-only">(new)</span>
        </>
      )}
    </>
  );
  if (!/^\/(?![/\\])/.test(row.path)) {
    return row.seen ? (
      <span className={look}>{words}</span>
    ) : (
      <button type="button" className={look} onClick={() => onOpen(row)}>
        {words}
      </button>
    );
  }
  const { pathname, search, hash } = new URL(row.path, window.location.origin);
  return (
    <Link
      to={pathname}
      search={parseSearch(search)}
      {...(hash ? { hash: hash.slice(1) } : {})}
      className={cx(look, 'hover:underline')}
      onClick={() => onOpen(row)}
    >
      {words}
    </Link>
  );
}
