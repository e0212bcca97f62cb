import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { stopMails } from '@/features/notifications/api/notifications';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function NotificationsUnsubscribePage() {
  const code = useOneTimeCode('/notifications/unsubscribe');
  return (
    <Entrance title="Unsubscribe from digests" subtitle="Emails that summarize your notifications.">
      <EmailLinkAction
        code={code}
        question="After you confirm, you no longer receive digest emails. You still get notifications in the app, and can turn emails on again in your settings."
        action="Stop digest emails"
        busy="Stopping..."
        done="Digest emails stopped"
        run={stopMails}
      />
    </Entrance>
  );
}
