import { MailedAction } from '@/features/leads/mailed-action';
import { stopMails } from '@/features/notifications/queries';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function NotificationsUnsubscribePage() {
  const code = useOneTimeCode('/notifications/unsubscribe');
  return (
    <Entrance title="No more digests" subtitle="Mails that gather your notifications.">
      <MailedAction code={code} question="Press the button, and no digest is mailed to you any more. In the app you are told as before; mails can be chosen again in your settings." action="Stop the mails" busy="Stopping..." done="Mails stopped" run={stopMails} />
    </Entrance>
  );
}
