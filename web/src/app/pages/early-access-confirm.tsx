import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { confirmEarlyAccess } from '@/features/leads/api/leads';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function EarlyAccessConfirmPage() {
  const code = useOneTimeCode('/early-access/confirm');
  return (
    <Entrance title="Confirm your address" subtitle="The last step to early access.">
      <EmailLinkAction
        code={code}
        question="Confirm your email address to get the next free place, or a position on the waiting list. We email you which."
        action="Confirm address"
        busy="Confirming..."
        done="Address confirmed"
        run={confirmEarlyAccess}
      />
    </Entrance>
  );
}
