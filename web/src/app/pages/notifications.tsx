import { Link } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { NotificationsPanel } from '@/features/notifications/components/notifications-panel';
import { Page } from './page';

export function NotificationsPage() {
  return (
    <Page title="Notifications" subtitle="Your notifications" narrow>
      <NotificationsPanel
        settings={
          <Link to="/account-settings" search={{ tab: 'notifications' }} className={buttonClass()}>
            Preferences
          </Link>
        }
      />
    </Page>
  );
}
