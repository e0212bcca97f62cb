import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { Select } from '@/components/ui/field';
import { websitesQuery } from '@/lib/api/shared-queries';
import { textOf } from '@/lib/url/search';
import { Statements } from '@/features/conversions/components/statements';
import { monthOf } from '@/features/conversions/lib/search';
import { NoWebsites } from './no-websites';
import { Page } from './page';

/** What partners owe month by month. */
export function StatementsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/payouts/statements' });
  const websites = useQuery(websitesQuery);
  const wanted = textOf(search['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  const change = (part: Record<string, string>) =>
    void navigate({ to: '/payouts/statements', search: { ...search, ...part }, resetScroll: false });
  return (
    <Page
      title="Statements"
      subtitle="What each partner owes for a month"
      tools={
        website ? (
          <Select
            label="Website"
            className="lg:hidden"
            value={website.id}
            onChange={(event) => change({ website: event.target.value })}
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
        <ErrorBox error={websites.error} prefix="Error loading statements" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <Statements website={website} month={monthOf(search)} onMonth={(month) => change({ month })} />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}
