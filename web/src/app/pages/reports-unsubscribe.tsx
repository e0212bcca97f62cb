import { stopReport } from '@/features/analytics/api/reports';
import { EmailLinkAction } from '@/features/leads/components/email-link-action';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

export function ReportsUnsubscribePage() {
  const code = useOneTimeCode('/reports/unsubscribe');
  return (
    <Entrance title="Unsubscribe from a report" subtitle="A report that you receive weekly or monthly.">
      <EmailLinkAction
        code={code}
        question="After you confirm, this report is paused. Your other reports are not affected. You can resume it in your account settings."
        action="Pause this report"
        busy="Pausing..."
        done="Report paused"
        run={stopReport}
      />
    </Entrance>
  );
}
