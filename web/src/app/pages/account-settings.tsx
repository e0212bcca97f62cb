import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { textOf } from '@/lib/search';
import { GeneralPanel } from '@/features/account/general-panel';
import { WebsitesPanel } from '@/features/websites/websites-panel';
import { Page } from './page';

export function AccountSettingsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/account-settings' });
  // One table: Custom Domains and Invite Codes add their tabs here.
  const tabs: readonly Tab[] = [
    { id: 'general', label: 'General', content: <GeneralPanel /> },
    { id: 'websites', label: 'Websites', content: <WebsitesPanel toDashboard={(id) => <ToDashboard website={id} />} /> },
  ];
  const wanted = textOf(search['tab']);
  const current = tabs.find((tab) => tab.id === wanted)?.id ?? 'general';
  return (
    <Page title="Account Settings" subtitle="Your profile, and the websites that are measured">
      <Tabs label="Account Settings" tabs={tabs} value={current} onChange={(tab) => void navigate({ to: '/account-settings', search: { tab } })} />
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
