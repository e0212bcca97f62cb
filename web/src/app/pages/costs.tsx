import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { opened } from '@/components/data/opened';
import { ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { Select } from '@/components/ui/field';
import { websitesQuery } from '@/lib/api/shared-queries';
import { textOf } from '@/lib/url/search';
import type { Website } from '@/lib/api/types';
import type { Cost } from '@/features/costs/api/costs';
import { CostsCard } from '@/features/costs/components/costs-card';
import { ProfitCard } from '@/features/costs/components/profit-card';
import { NoWebsites } from './no-websites';
import { Page } from './page';

const CostImports = opened(
  () => import('@/features/costs/components/cost-imports').then((module) => module.CostImports),
  <Skeleton className="h-96" />,
);
const CostDialog = opened(() => import('@/features/costs/components/cost-dialog').then((module) => module.CostDialog));

/** What ads and content cost. */
export function CostsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/payouts/costs' });
  const websites = useQuery(websitesQuery);
  const wanted = textOf(search['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  return (
    <Page
      title="Costs"
      subtitle="What you pay for ads and content"
      tools={
        website ? (
          <Select
            label="Website"
            className="lg:hidden"
            value={website.id}
            onChange={(event) => void navigate({ to: '/payouts/costs', search: { website: event.target.value } })}
          >
            {websites.data?.map((item) => (
              <option key={item.id} value={item.id}>
                {item.domain}
              </option>
            ))}
          </Select>
        ) : (
          websites.data && null
        )
      }
    >
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading costs" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <Costs
          key={website.id}
          website={website}
          shown={textOf(search['import'])}
          onShow={(id) =>
            void navigate({ to: '/payouts/costs', search: { website: website.id, ...(id ? { import: id } : {}) } })
          }
        />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}

interface Props {
  readonly website: Website;
  /** The import that is shown, named by the address. */
  readonly shown: string | undefined;
  readonly onShow: (id: string | undefined) => void;
}

function Costs({ website, shown, onShow }: Props) {
  const [edited, setEdited] = useState<Cost | 'new' | null>(null);
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      <ProfitCard websiteId={website.id} />
      <CostsCard websiteId={website.id} onAdd={() => setEdited('new')} onChange={setEdited} />
      <CostImports website={website} shown={shown} onShow={onShow} />
      {edited && (
        <CostDialog website={website} cost={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </div>
  );
}
