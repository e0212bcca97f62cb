import { useQuery } from '@tanstack/react-query';
import { UserRound } from 'lucide-react';
import { useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned, formatIn } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { isModerator, useSession } from '@/lib/session';
import { memberQuery } from '../api/members';
import { reinstateMember } from '../api/moderation-commands';
import { isEndless } from '../lib/suspension';
import { SuspendDialog } from './dialogs';

/** A member's public profile; moderators suspend from here. */
export function MemberProfile({ handle }: { readonly handle: string }) {
  const session = useSession();
  const query = useQuery(memberQuery(handle));
  const [asking, setAsking] = useState(false);
  const reinstate = useCommand(reinstateMember);
  if (query.error && !query.data)
    return <ErrorBox error={query.error} prefix="Error loading the member" onRetry={() => void query.refetch()} />;
  const member = query.data;
  if (!member) return <Loading label="Loading the member" />;
  const { id } = member;
  const zone = browserTimezone();
  const figures = [
    ['Threads', member.threads],
    ['Posts', member.posts],
    ['Likes received', member.likesReceived],
  ] as const;
  return (
    <section aria-label={member.name} className={cx(surface, 'p-5 sm:p-6')}>
      <div className="flex flex-wrap items-center gap-4">
        <span className="grid size-14 shrink-0 place-items-center rounded-full bg-brand-soft text-brand">
          <UserRound aria-hidden className="size-7" />
        </span>
        <div className="min-w-0 flex-1 basis-40">
          <h1 className="text-xl font-semibold break-words">{member.name}</h1>
          <p className="mt-0.5 flex flex-wrap items-center gap-2 text-muted">
            {member.handle && <span>@{member.handle}</span>}
            {member.role === 'moderator' && <Badge tone="brand">Moderator</Badge>}
            <span>Joined {formatIn(member.joinedAt, zone, { year: 'numeric', month: 'long' })}</span>
          </p>
        </div>
        {id &&
          isModerator(session?.user) &&
          session?.user.id !== id &&
          (member.suspendedUntil ? (
            <Button busy={reinstate.isPending} onClick={() => reinstate.mutate(id)}>
              End suspension
            </Button>
          ) : (
            <Button onClick={() => setAsking(true)}>Suspend</Button>
          ))}
      </div>
      {member.suspendedUntil && (
        <p className="mt-4 rounded-lg bg-warn-soft px-4 py-2.5 text-warn">
          {isEndless(member.suspendedUntil)
            ? 'Suspended until a moderator lifts it.'
            : `Suspended until ${formatZoned(member.suspendedUntil, zone)}.`}
        </p>
      )}
      <dl className="mt-6 grid grid-cols-3 gap-3">
        {figures.map(([label, value]) => (
          <div key={label} className="flex flex-col justify-between rounded-lg bg-sunken px-3 py-3 text-center">
            <dt className="text-[0.8125rem] text-muted">{label}</dt>
            <dd className="text-lg font-semibold tabular">{formatCount(value)}</dd>
          </div>
        ))}
      </dl>
      {asking && id && <SuspendDialog member={{ id, name: member.name }} onClose={() => setAsking(false)} />}
    </section>
  );
}
