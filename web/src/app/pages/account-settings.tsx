import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { textOf } from '@/lib/search';
import { DomainsPanel } from '@/features/account/domains-panel';
import { InviteCodesPanel } from '@/features/account/invite-codes-panel';
import { WebsitesPanel } from '@/features/websites/websites-panel';
import { Page } from './page';

// The forms library comes with the tab that has forms.
const GeneralPanel = lazy(() => import('@/features/account/general-panel').then((module) => ({ default: module.GeneralPanel })));

export function AccountSettingsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/account-settings' });
  const show = (tab: string) => void navigate({ to: '/account-settings', search: { tab } });
  const tabs: readonly Tab[] = [
    {
      id: 'general',
      label: 'General',
      content: (
        <Suspense fallback={<Loading label="Loading your settings" />}>
          <GeneralPanel />
        </Suspense>
      ),
    },
    { id: 'websites', label: 'Websites', content: <WebsitesPanel toDashboard={(id) => <ToDashboard website={id} />} /> },
    { id: 'custom-domains', label: 'Custom Domains', content: <DomainsPanel connect={<Button variant="primary" onClick={() => show('websites')}>Connect Website</Button>} /> },
    { id: 'invite-codes', label: 'Invite Codes', content: <InviteCodesPanel /> },
  ];
  const wanted = textOf(search['tab']);
  const current = tabs.find((tab) => tab.id === wanted)?.id ?? 'general';
  return (
    <Page title="Account Settings" subtitle="Your profile, your websites, and whom you invite">
      <Tabs label="Account Settings" tabs={tabs} value={current} onChange={show} />
    </Page>
  );
}

function ToDashboard({ website }: { readonly website: string }) {
  return (
    <Link to="/dashboard" search={{ website }} className={buttonClass({ variant: 'primary' })}>
      Go to Dashboard
    </Link>
  );
}
