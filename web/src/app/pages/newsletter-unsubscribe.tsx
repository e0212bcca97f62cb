import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { unsubscribe } from '@/features/leads/api/leads';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function NewsletterUnsubscribePage() {
  const code = useOneTimeCode('/newsletter/unsubscribe');
  return (
    <Entrance title="Unsubscribe" subtitle="From our newsletter.">
      <EmailLinkAction
        code={code}
        question="You will no longer get the newsletter, and your address will be deleted. You can subscribe again at any time."
        action="Unsubscribe"
        busy="Unsubscribing..."
        done="Unsubscribed"
        run={unsubscribe}
      />
    </Entrance>
  );
}
