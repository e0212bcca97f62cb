import { ModerationLog } from '@/features/forum/components/moderation-log';
import { Page } from './page';

export function ForumLogPage() {
  return (
    <Page title="Moderation log" subtitle="Public log of moderation actions">
      <ModerationLog />
    </Page>
  );
}
