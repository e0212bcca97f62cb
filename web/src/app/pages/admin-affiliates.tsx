import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { textOf } from '@/lib/search';
import { ClicksPanel } from '@/features/admin/clicks-panel';
import { OverviewPanel } from '@/features/admin/overview-panel';
import { PartnersPanel } from '@/features/admin/partners-panel';
import { AllLinksPanel } from '@/features/links/all-links-panel';

export function AdminAffiliatesPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/' });
  const show = (tab: string) => void navigate({ to: '/admin', search: { tab } });
  const tabs: readonly Tab[] = [
    { id: 'overview', label: 'Overview', content: <OverviewPanel /> },
    { id: 'partners', label: 'Partners', content: <PartnersPanel selected={textOf(search['partner'])} onDeselect={() => show('partners')} /> },
    { id: 'links', label: 'Affiliate Links', content: <AllLinksPanel selected={textOf(search['link'])} onDeselect={() => show('links')} /> },
    { id: 'clicks', label: 'Click Tracking', content: <ClicksPanel conversion={textOf(search['conversion'])} onDeselect={() => show('clicks')} /> },
  ];
  const wanted = textOf(search['tab']);
  const current = tabs.find((tab) => tab.id === wanted)?.id ?? 'overview';
  return <Tabs label="Affiliate management" tabs={tabs} value={current} onChange={show} />;
}
