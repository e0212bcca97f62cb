import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { websitesQuery } from '@/lib/api/shared-queries';
import { textOf } from '@/lib/url/search';
import { ReconciledPartners } from '@/features/conversions/components/reconciled-partners';
import { ReconciliationCard } from '@/features/conversions/components/reconciliation-card';
import { monthOf } from '@/features/conversions/lib/search';
import { NoWebsites } from './no-websites';
import { Page } from './page';

/** Which partner owes what, and why its figures differ. */
export function ReconciliationPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/payouts/reconciliation' });
  const websites = useQuery(websitesQuery);
  const wanted = textOf(search['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  const partnerId = textOf(search['partner']);
  const month = monthOf(search);
  const isMonth = Boolean(partnerId && month);
  return (
    <Page
      title="Reconciliation"
      subtitle="What you tracked, what partners report, and what they paid"
      tools={
        website ? (
          <div className="flex flex-wrap items-center gap-2">
            <Select
              label="Website"
              className="lg:hidden"
              value={website.id}
              onChange={(event) =>
                void navigate({ to: '/payouts/reconciliation', search: { website: event.target.value } })
              }
            >
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
            {isMonth && (
              <Link
                to="/payouts/reconciliation"
                search={{ website: website.id }}
                className={buttonClass({ variant: 'ghost' })}
              >
                All partners
              </Link>
            )}
          </div>
        ) : (
          websites.data && null
        )
      }
    >
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading websites" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : !website ? (
        <NoWebsites />
      ) : partnerId && month ? (
        <ReconciliationCard of={{ websiteId: website.id, partnerId, month }} />
      ) : (
        <ReconciledPartners websiteId={website.id} />
      )}
    </Page>
  );
}
