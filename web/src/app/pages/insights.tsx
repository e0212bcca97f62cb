import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { Select } from '@/components/ui/field';
import { textOf } from '@/lib/url/search';
import { websitesQuery } from '@/lib/api/shared-queries';
import { InsightsCard } from '@/features/insights/components/insights-card';
import { InsightActions } from './insight-actions';
import { NoWebsites } from './no-websites';
import { Page } from './page';

/** What is notable in the numbers of one website. */
export function InsightsPage() {
  const navigate = useNavigate();
  const wanted = textOf(useSearch({ from: '/member/insights' })['website']);
  const websites = useQuery(websitesQuery);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  return (
    <Page
      title="Insights"
      subtitle="What changed in your numbers, and why"
      tools={
        website ? (
          <Select
            label="Website"
            className="lg:hidden"
            value={website.id}
            onChange={(event) => void navigate({ to: '/insights', search: { website: event.target.value } })}
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
      {websites.error && !websites.data ? (
        <ErrorBox error={websites.error} prefix="Error loading websites" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <InsightsCard
          key={website.id}
          website={website}
          actions={(insight) => <InsightActions website={website.id} insight={insight} />}
        />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}
