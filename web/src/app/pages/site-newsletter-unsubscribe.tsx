import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { unsubscribeFromSite } from '@/features/leads/api/leads';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function SiteNewsletterUnsubscribePage() {
  const code = useOneTimeCode('/site-newsletter/unsubscribe');
  return (
    <Entrance title="Unsubscribe" subtitle="From the newsletter of a site.">
      <EmailLinkAction
        code={code}
        question="You will no longer get the newsletter, and your address will be deleted. You can subscribe again at any time."
        action="Unsubscribe"
        busy="Unsubscribing..."
        done="Unsubscribed"
        run={unsubscribeFromSite}
      />
    </Entrance>
  );
}
