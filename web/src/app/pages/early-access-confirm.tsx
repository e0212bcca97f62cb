import { MailedAction } from '@/features/leads/mailed-action';
import { confirmEarlyAccess } from '@/features/leads/queries';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function EarlyAccessConfirmPage() {
  const code = useOneTimeCode('/early-access/confirm');
  return (
    <Entrance title="Confirm your address" subtitle="The last step to early access.">
      <MailedAction
        code={code} question="Your place, or your place in line, is held for an hour. It is kept once the address that this link was mailed to is confirmed."
        action="Confirm address" busy="Confirming..." done="Address confirmed" run={confirmEarlyAccess}
      />
    </Entrance>
  );
}
