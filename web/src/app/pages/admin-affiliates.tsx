import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { textOf } from '@/lib/search';
import { OverviewPanel } from '@/features/admin/overview-panel';

export function AdminAffiliatesPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/' });
  const tabs: readonly Tab[] = [{ id: 'overview', label: 'Overview', content: <OverviewPanel /> }];
  const wanted = textOf(search['tab']);
  const current = tabs.find((tab) => tab.id === wanted)?.id ?? 'overview';
  return <Tabs label="Affiliate management" tabs={tabs} value={current} onChange={(tab) => void navigate({ to: '/admin', search: { tab } })} />;
}
