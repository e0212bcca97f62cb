import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { openAlertsQuery } from '@/features/notifications/api/alerts';
import { NotificationsPanel } from '@/features/notifications/components/notifications-panel';
import { OpenAlerts } from '@/features/notifications/components/open-alerts';
import { Page } from './page';

export function NotificationsPage() {
  const alerts = useQuery(openAlertsQuery());
  return (
    <Page title="Notifications" subtitle="Your notifications" narrow>
      {/* The list waits for the alerts above it, so that it does not move. */}
      <div className={alerts.isPending ? 'invisible' : 'flex flex-col gap-4'}>
        <OpenAlerts alerts={alerts.data ?? []} names />
        <div>
          <NotificationsPanel
            settings={
              <>
                <Link to="/account-settings" search={{ tab: 'alerts' }} className={buttonClass()}>
                  Alerts
                </Link>
                <Link to="/account-settings" search={{ tab: 'notifications' }} className={buttonClass()}>
                  Preferences
                </Link>
              </>
            }
          />
        </div>
      </div>
    </Page>
  );
}
