import { MailedAction } from '@/features/leads/mailed-action';
import { leaveEarlyAccess } from '@/features/leads/queries';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function EarlyAccessLeavePage() {
  const code = useOneTimeCode('/early-access/leave');
  return (
    <Entrance title="Leave early access" subtitle="Your place goes to somebody who waits.">
      <MailedAction code={code} question="You give up your place, or your place in line, and your address is deleted." action="Leave early access" busy="Leaving..." done="You've left early access" run={leaveEarlyAccess} />
    </Entrance>
  );
}
