import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import { useCommand } from '@/lib/api/command';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { inviteReviewer } from '../api/selling';
import type { ListingInFull } from '../lib/types';

/** For an admin who sells: nobody approves their own listing, so they invite another person to review it. */
export function InviteReviewer({ listing }: { readonly listing: ListingInFull }) {
  const invite = useCommand(inviteReviewer);
  return (
    <Card
      title="Review by another person"
      description="You cannot approve your own listing. Another admin can, or one member whom you invite."
    >
      <div className="flex flex-col items-start gap-3">
        {invite.data ? (
          <>
            <div className="w-full">
              <CopyField label="Review link" value={invite.data.url} />
            </div>
            <p className="text-[0.8125rem] text-muted">
              {`Send it to one person who has an account here. It is shown only now and works until ${formatZoned(invite.data.expiresAt, browserTimezone())}. They can review this listing and nothing else. Their decision and name are in the audit trail.`}
            </p>
          </>
        ) : (
          <p>{listing.hasReviewer ? 'Your reviewer has opened the link.' : 'Invite a reviewer by link.'}</p>
        )}
        {Boolean(invite.error) && <ErrorBox error={invite.error} />}
        <Button busy={invite.isPending} onClick={() => invite.mutate(listing.id)}>
          {invite.data || listing.hasReviewer ? 'Make a new link' : 'Make a review link'}
        </Button>
        {(invite.data ?? listing.hasReviewer) && (
          <p className="text-[0.8125rem] text-muted">A new link ends the previous one and its reviewer’s access.</p>
        )}
      </div>
    </Card>
  );
}
