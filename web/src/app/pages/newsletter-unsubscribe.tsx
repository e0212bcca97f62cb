import { MailedAction } from '@/features/leads/mailed-action';
import { unsubscribe } from '@/features/leads/queries';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function NewsletterUnsubscribePage() {
  const code = useOneTimeCode('/newsletter/unsubscribe');
  return (
    <Entrance title="Unsubscribe" subtitle="From our newsletter.">
      <MailedAction code={code} question="No newsletter is sent to you any more, and your address is deleted. You may subscribe again whenever you like." action="Unsubscribe" busy="Unsubscribing..." done="Unsubscribed" run={unsubscribe} />
    </Entrance>
  );
}
