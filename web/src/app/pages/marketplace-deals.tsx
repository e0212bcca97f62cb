import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from '@/components/ui/tabs';
import { textOf } from '@/lib/url/search';
import { Deals } from '@/features/marketplace/components/deals';
import { MarketplaceTools } from '@/features/marketplace/components/sections';
import { Page } from './page';

export function MarketplaceDealsPage() {
  const navigate = useNavigate();
  const side = textOf(useSearch({ from: '/member/marketplace/deals' })['side']) === 'seller' ? 'seller' : 'buyer';
  return (
    <Page title="Deals" subtitle="Offers and their status" tools={<MarketplaceTools />}>
      <Tabs
        label="Deals"
        value={side}
        onChange={(id) =>
          void navigate({ to: '/marketplace/deals', search: id === 'seller' ? { side: id } : {}, resetScroll: false })
        }
        tabs={[
          { id: 'buyer', label: 'Buying', content: <Deals side="buyer" /> },
          { id: 'seller', label: 'Selling', content: <Deals side="seller" /> },
        ]}
      />
    </Page>
  );
}
