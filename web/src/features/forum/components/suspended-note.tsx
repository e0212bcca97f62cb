import { useQuery } from '@tanstack/react-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { meQuery } from '../api/members';
import { isEndless } from '../lib/suspension';

/** Informs a suspended member before they write. */
export function SuspendedNote() {
  const me = useQuery(meQuery).data;
  if (!me?.suspendedUntil) return null;
  const end = isEndless(me.suspendedUntil)
    ? 'until a moderator lifts it'
    : `until ${formatZoned(me.suspendedUntil, browserTimezone())}`;
  return (
    <p role="status" className="rounded-lg bg-warn-soft px-4 py-3 text-warn">
      {`You are suspended from posting in the forum ${end}.${me.suspensionReason ? ` Reason: ${me.suspensionReason}` : ''}`}
    </p>
  );
}
