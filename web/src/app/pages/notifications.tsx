import { Link } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { NotificationsPanel } from '@/features/notifications/notifications-panel';
import { Page } from './page';

export function NotificationsPage() {
  return (
    <Page title="Notifications" subtitle="What happened that concerns you" narrow>
      <NotificationsPanel
        settings={
          <Link to="/account-settings" search={{ tab: 'notifications' }} className={buttonClass()}>
            Choose what you are told
          </Link>
        }
      />
    </Page>
  );
}
