import { Link } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { ModerationQueue } from '@/features/forum/components/moderation-queue';
import { Page } from './page';

export function ForumModerationPage() {
  return (
    <Page
      title="Moderation"
      subtitle="Posts pending review"
      tools={
        <Link to="/forum/log" className={buttonClass()}>
          Moderation log
        </Link>
      }
    >
      <ModerationQueue />
    </Page>
  );
}
