import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { textOf } from '@/lib/search';
import { Page } from './page';

// Each tab is fetched when it is opened.
const GeneralPanel = lazy(() =>
  import('@/features/accounts/components/general-panel').then((module) => ({ default: module.GeneralPanel })),
);
const WebsitesPanel = lazy(() =>
  import('@/features/websites/components/websites-panel').then((module) => ({ default: module.WebsitesPanel })),
);
const DomainsPanel = lazy(() =>
  import('@/features/domains/components/domains-panel').then((module) => ({ default: module.DomainsPanel })),
);
const NotificationsPanel = lazy(() =>
  import('@/features/notifications/components/preferences-panel').then((module) => ({
    default: module.PreferencesPanel,
  })),
);
const InsightsByMail = lazy(() =>
  import('@/features/insights/components/digest-choice').then((module) => ({ default: module.DigestPanel })),
);
const ReportsPanel = lazy(() =>
  import('@/features/analytics/components/reports-panel').then((module) => ({ default: module.ReportsPanel })),
);
const InviteCodesPanel = lazy(() =>
  import('@/features/accounts/components/invite-codes-panel').then((module) => ({ default: module.InviteCodesPanel })),
);

export function AccountSettingsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/account-settings' });
  const show = (tab: string) => void navigate({ to: '/account-settings', search: { tab } });
  const tabs: readonly Tab[] = [
    { id: 'general', label: 'General', content: loaded(<GeneralPanel />) },
    {
      id: 'websites',
      label: 'Websites',
      content: loaded(<WebsitesPanel toDashboard={(id) => <ToDashboard website={id} />} />),
    },
    {
      id: 'custom-domains',
      label: 'Custom Domains',
      content: loaded(
        <DomainsPanel
          connect={
            <Button variant="primary" onClick={() => show('websites')}>
              Connect Website
            </Button>
          }
        />,
      ),
    },
    { id: 'invite-codes', label: 'Invite Codes', content: loaded(<InviteCodesPanel />) },
    { id: 'notifications', label: 'Notifications', content: loaded(<Mails />) },
    {
      id: 'reports',
      label: 'Email Reports',
      content: loaded(
        <ReportsPanel
          query={textOf(search['query'])}
          onQueryDone={() => show('reports')}
          toAnalytics={
            <Link to="/analytics" className={buttonClass({ variant: 'primary' })}>
              Open Analytics
            </Link>
          }
        />,
      ),
    },
  ];
  const wanted = textOf(search['tab']);
  const current = tabs.find((tab) => tab.id === wanted)?.id ?? 'general';
  return (
    <Page title="Account Settings" subtitle="Manage your profile, websites and invites">
      <Tabs label="Account Settings" tabs={tabs} value={current} onChange={show} />
    </Page>
  );
}

function Mails() {
  return (
    <div className="grid gap-6">
      <NotificationsPanel />
      <InsightsByMail />
    </div>
  );
}

const loaded = (panel: ReactNode) => <Suspense fallback={<Loading label="Loading your settings" />}>{panel}</Suspense>;

function ToDashboard({ website }: { readonly website: string }) {
  return (
    <Link to="/dashboard" search={{ website }} className={buttonClass({ variant: 'primary' })}>
      Go to Dashboard
    </Link>
  );
}
