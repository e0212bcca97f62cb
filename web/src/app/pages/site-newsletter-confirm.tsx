import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { confirmSiteSubscription } from '@/features/leads/api/leads';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function SiteNewsletterConfirmPage() {
  const code = useOneTimeCode('/site-newsletter/confirm');
  return (
    <Entrance title="Confirm your subscription" subtitle="The last step to the newsletter.">
      <EmailLinkAction
        code={code}
        question="The newsletter will be sent to the address that received this link. Every email has an unsubscribe link."
        action="Confirm subscription"
        busy="Confirming..."
        done="Subscription confirmed"
        run={confirmSiteSubscription}
      />
    </Entrance>
  );
}
