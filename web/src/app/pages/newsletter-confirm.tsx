import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { confirmSubscription } from '@/features/leads/api/leads';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function NewsletterConfirmPage() {
  const code = useOneTimeCode('/newsletter/confirm');
  return (
    <Entrance title="Confirm your subscription" subtitle="The last step to our newsletter.">
      <EmailLinkAction
        code={code}
        question="The newsletter will be sent to the address that received this link. Every email has an unsubscribe link."
        action="Confirm subscription"
        busy="Confirming..."
        done="Subscription confirmed"
        run={confirmSubscription}
      />
    </Entrance>
  );
}
