import { MailedAction } from '@/features/leads/mailed-action';
import { confirmSubscription } from '@/features/leads/queries';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function NewsletterConfirmPage() {
  const code = useOneTimeCode('/newsletter/confirm');
  return (
    <Entrance title="Confirm your subscription" subtitle="The last step to our newsletter.">
      <MailedAction
        code={code} question="From now on the newsletter comes to the address that this link was mailed to. Every mail has a link that stops it."
        action="Confirm subscription" busy="Confirming..." done="Subscription confirmed" run={confirmSubscription}
      />
    </Entrance>
  );
}
