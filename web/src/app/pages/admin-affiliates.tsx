import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Empty, Loading } from '@/components/data/states';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { useAddress } from '@/app/use-address';
import { textOf } from '@/lib/url/search';
import { readClicksFilter, writeClicksFilter } from '@/features/analytics/lib/clicks-search';

// Each tab is fetched when it is first opened.
const OverviewPanel = lazy(() =>
  import('@/features/analytics/components/overview-panel').then((module) => ({ default: module.OverviewPanel })),
);
const PartnersPanel = lazy(() =>
  import('@/features/partners/components/partners-panel').then((module) => ({ default: module.PartnersPanel })),
);
const ClicksPanel = lazy(() =>
  import('@/features/analytics/components/clicks-panel').then((module) => ({ default: module.ClicksPanel })),
);
const AllLinksPanel = lazy(() =>
  import('@/features/links/components/all-links-panel').then((module) => ({ default: module.AllLinksPanel })),
);

export function AdminAffiliatesPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/' });
  const [, go] = useAddress();
  const show = (tab: string) => void navigate({ to: '/admin', search: { tab } });
  const tabs: readonly Tab[] = [
    { id: 'overview', label: 'Overview', content: panel(<OverviewPanel />) },
    {
      id: 'partners',
      label: 'Partners',
      content: panel(
        <PartnersPanel
          selected={textOf(search['partner'])}
          search={textOf(search['search']) ?? ''}
          onSearch={(text) => go({ search: text })}
          onDeselect={() => go({ partner: null })}
        />,
      ),
    },
    {
      id: 'links',
      label: 'Affiliate Links',
      content: panel(<AllLinksPanel selected={textOf(search['link'])} onDeselect={() => show('links')} />),
    },
    {
      id: 'clicks',
      label: 'Click Tracking',
      content: panel(
        <ClicksPanel
          filter={readClicksFilter(search)}
          onFilter={(filter) =>
            void navigate({ to: '/admin', search: { tab: 'clicks', ...writeClicksFilter(filter) }, resetScroll: false })
          }
        />,
      ),
    },
  ];
  const wanted = textOf(search['tab']);
  const current = tabs.find((tab) => tab.id === wanted)?.id ?? 'overview';
  return <Tabs label="Affiliate management" tabs={tabs} value={current} onChange={show} />;
}

function panel(content: ReactNode): ReactNode {
  return (
    <Boundary fallback={<Empty>This part could not be loaded. Please reload the page.</Empty>}>
      <Suspense fallback={<Loading label="Loading" />}>{content}</Suspense>
    </Boundary>
  );
}
