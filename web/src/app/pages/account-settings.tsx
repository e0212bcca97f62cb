import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, type ReactNode } from 'react';
import { Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { TitleAround } from '@/components/ui/title-around';
import { textOf } from '@/lib/url/search';
import { AfterConnecting } from './after-connecting';
import { Page } from './page';
import { textLink } from './text-link';

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
const AlertsPanel = lazy(() =>
  import('@/features/notifications/components/alerts-panel').then((module) => ({ default: module.AlertsPanel })),
);
const AlertDeliveryPanel = lazy(() =>
  import('@/features/notifications/components/alert-delivery-panel').then((module) => ({
    default: module.AlertDeliveryPanel,
  })),
);
const WebhooksPanel = lazy(() =>
  import('@/features/notifications/components/webhooks-panel').then((module) => ({ default: module.WebhooksPanel })),
);
const AlertHistory = lazy(() =>
  import('@/features/notifications/components/alert-history').then((module) => ({ default: module.AlertHistory })),
);
const InsightsByMail = lazy(() =>
  import('@/features/insights/components/digest-choice').then((module) => ({ default: module.DigestPanel })),
);
const QueryParameters = lazy(() =>
  import('@/features/sql/components/query-parameters').then((module) => ({ default: module.QueryParameters })),
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
      content: loaded(<WebsitesPanel next={(id) => <AfterConnecting website={id} />} />),
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
    {
      id: 'notifications',
      label: 'Notifications',
      content: loaded(
        <Notifications
          part={textOf(search['tab'])}
          reports={
            <ReportsPanel
              query={textOf(search['query'])}
              onQueryDone={() => show('reports')}
              parameters={(queryId, values, onChange) => (
                <QueryParameters queryId={queryId} values={values} onChange={onChange} />
              )}
              toAnalytics={
                <Link to="/analytics" className={buttonClass({ variant: 'primary' })}>
                  Open Analytics
                </Link>
              }
            />
          }
        />,
      ),
    },
  ];
  const wanted = textOf(search['tab']);
  const current = tabs.find((tab) => tab.id === (PARTS.some(({ id }) => id === wanted) ? 'notifications' : wanted));
  return (
    <Page title="Account Settings" subtitle="Manage your profile, websites and invites">
      <Tabs label="Account Settings" tabs={tabs} value={current?.id ?? 'general'} onChange={show} />
    </Page>
  );
}

/** Each was a tab of its own: their addresses lead to their part of the one that they are now. */
const PARTS = [
  { id: 'alerts', title: 'Alerts' },
  { id: 'reports', title: 'Email reports' },
] as const;

interface NotificationsProps {
  /** The part that the address names. */
  readonly part: string | undefined;
  readonly reports: ReactNode;
}

/** All that the product sends: what, how, and when. */
function Notifications({ part, reports }: NotificationsProps) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.scrollIntoView(), [part]);
  const contents = {
    alerts: (
      <>
        <AlertsPanel help={<AlertsHelp anchor="what-is-checked" />} />
        <AlertDeliveryPanel />
        <WebhooksPanel help={<AlertsHelp anchor="webhooks" />} />
        <AlertHistory />
      </>
    ),
    reports,
  };
  return (
    <div className="grid gap-6">
      <NotificationsPanel />
      <InsightsByMail />
      {PARTS.map(({ id, title }) => (
        <div
          key={id}
          role="group"
          ref={id === part ? shown : null}
          aria-labelledby={`part-${id}`}
          className="grid scroll-mt-20 gap-6"
        >
          <h2 id={`part-${id}`} className="-mb-2 text-base font-semibold">
            {title}
          </h2>
          <TitleAround value={title}>{contents[id]}</TitleAround>
        </div>
      ))}
    </div>
  );
}

function AlertsHelp({ anchor }: { readonly anchor: string }) {
  return (
    <Link to="/help/$slug" params={{ slug: 'alerts-and-webhooks' }} hash={anchor} className={textLink}>
      How this works
    </Link>
  );
}

const loaded = (panel: ReactNode) => <Suspense fallback={<Loading label="Loading your settings" />}>{panel}</Suspense>;
