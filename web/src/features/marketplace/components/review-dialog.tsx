import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Because } from '@/lib/api/request-schemas';
import { reviewListing, type ReviewDecision, type ReviewedBy } from '../api/moderation';
import type { ListingInFull } from '../lib/types';

const TEXTS: Record<ReviewDecision, { readonly title: string; readonly text: string; readonly action: string }> = {
  approve: {
    title: 'Approve this listing?',
    text: 'It is online for 90 days, and members can make offers.',
    action: 'Approve',
  },
  reject: {
    title: 'Reject this listing?',
    text: 'The seller sees the reason and can edit and resubmit the listing.',
    action: 'Reject',
  },
  suspend: {
    title: 'Take this listing offline?',
    text: 'It is hidden until it is put online again. The seller sees the reason.',
    action: 'Suspend',
  },
  resume: {
    title: 'Put this listing back online?',
    text: 'It is shown as before.',
    action: 'Put back online',
  },
};

interface Props {
  readonly listing: ListingInFull;
  readonly doing: ReviewDecision;
  readonly by: ReviewedBy;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Of one listing in review: the decision, with its reason. */
export function ReviewDialog({ listing, doing, by, onClose, onDone }: Props) {
  const texts = TEXTS[doing];
  const needsReason = doing === 'reject' || doing === 'suspend';
  const form = useRequestForm({
    request: needsReason ? Because : {},
    initial: { edition: listing.edition ?? 1, reason: '' }, // the reviewed edition, not a later one
    rules: needsReason ? { reason: { missing: 'Please give a reason' } } : {},
    command: useCommand(reviewListing(listing.id, by, doing), {
      onSuccess: () => {
        onClose();
        onDone();
      },
    }),
  });
  return (
    <FormDialog
      form={form}
      title={texts.title}
      description={texts.text}
      action={texts.action}
      danger={needsReason}
      onClose={onClose}
    >
      {needsReason && <TextArea label="Reason" rows={3} {...form.field('reason')} />}
    </FormDialog>
  );
}
