import { ModerationLog } from '@/features/forum/moderation-log';
import { Page } from './page';

export function ForumLogPage() {
  return (
    <Page title="Moderation log" subtitle="What moderators, and the rules, did in the forum. Open to everybody.">
      <ModerationLog />
    </Page>
  );
}
