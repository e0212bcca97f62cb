import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { leaveEarlyAccess } from '@/features/leads/api/leads';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function EarlyAccessLeavePage() {
  const code = useOneTimeCode('/early-access/leave');
  return (
    <Entrance title="Leave early access" subtitle="Your place goes to the next person on the waiting list.">
      <EmailLinkAction
        code={code}
        question="Your place or your position on the waiting list is released, and your email address is deleted."
        action="Leave early access"
        busy="Leaving..."
        done="You've left early access"
        run={leaveEarlyAccess}
      />
    </Entrance>
  );
}
