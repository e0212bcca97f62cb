import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { useFromNow } from '@/lib/dates/now';
import { inviteSignup, promoteSignup, releasePlace, signupsQuery, totalsQuery, type Signup } from '../api/admin';

/** The ten places and the waiting list. A released place goes to the longest-waiting person automatically. */
export function EarlyAccessPanel() {
  const signups = useCursorQuery(signupsQuery);
  const totals = useQuery(totalsQuery).data;
  const [leaving, setLeaving] = useState<Signup | null>(null);
  const promote = useCommand(promoteSignup);
  const invite = useCommand(inviteSignup);
  const release = useCommand(releasePlace);
  const busy = promote.isPending || invite.isPending || release.isPending;
  const zone = browserTimezone();
  const hour = useFromNow((at) => Math.floor(at / HOUR_MS));
  const isFree = totals !== undefined && totals.placesTaken < totals.places;
  const columns: Column<Signup>[] = [
    {
      id: 'place',
      header: 'Place',
      cell: (row) =>
        row.place === null ? (
          <Badge>{row.heldUntil ? 'Not confirmed' : `Waiting, number ${row.waitingNumber ?? '–'}`}</Badge>
        ) : (
          <Badge tone="brand">{`Place ${row.place}`}</Badge>
        ),
    },
    {
      id: 'email',
      header: 'Address',
      cell: (row) => emailOf(row),
      className: 'min-w-52 font-medium [overflow-wrap:anywhere]',
    },
    {
      id: 'confirmed',
      header: 'Address confirmed',
      cell: (row) => (row.heldUntil ? `No, deleted ${formatZoned(row.heldUntil, zone)}` : 'Yes'),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'joined',
      header: 'Joined',
      cell: (row) => formatZoned(row.joinedAt, zone),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'invited',
      header: 'Invited',
      cell: (row) => (row.invitedAt ? formatZoned(row.invitedAt, zone) : '–'),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end gap-1.5">
          {row.place === null ? (
            <Button
              size="sm"
              aria-label={`Assign place to ${emailOf(row)}`}
              disabled={busy || !isFree || row.heldUntil !== null}
              onClick={() => promote.mutate(row.id)}
            >
              Assign place
            </Button>
          ) : (
            <Button
              size="sm"
              aria-label={`${inviting(row)} ${emailOf(row)}`}
              disabled={busy || row.heldUntil !== null || isInvited(row, hour * HOUR_MS)}
              onClick={() => invite.mutate(row.id)}
            >
              {inviting(row)}
            </Button>
          )}
          <Button size="sm" aria-label={`Release ${emailOf(row)}`} disabled={busy} onClick={() => setLeaving(row)}>
            Release
          </Button>
        </div>
      ),
    },
  ];
  return (
    <Card
      title="Early access"
      description={
        totals
          ? `${totals.placesTaken} of ${totals.places} places filled, ${totals.waiting} waiting`
          : 'Ten places and a waiting list'
      }
    >
      <PagedTable
        caption="Places and waiting list"
        query={signups}
        columns={columns}
        rowKey={(row) => row.id}
        none="No early access signups yet"
      />
      {leaving && (
        <ConfirmDialog
          title={`Release ${emailOf(leaving)}?`}
          action="Release"
          description={
            leaving.place === null
              ? 'The position on the waiting list is released, and the address is deleted.'
              : 'The place goes to the next person on the waiting list, and the address is deleted. The invite is revoked; an account created with it is kept.'
          }
          onClose={() => setLeaving(null)}
          onConfirm={() => release.mutate(leaving.id)}
        />
      )}
    </Card>
  );
}

const HOUR_MS = 3_600_000;
/** An invite is for 30 days; after that another can be sent. */
const INVITED_MS = 30 * 24 * HOUR_MS;
const isInvited = ({ invitedAt }: Signup, now: number): boolean =>
  invitedAt !== null && now < Date.parse(invitedAt) + INVITED_MS;

const inviting = ({ invitedAt }: Signup): string => (invitedAt === null ? 'Invite' : 'Invite again');

const emailOf = (row: Signup): string => row.email ?? 'deleted address';
