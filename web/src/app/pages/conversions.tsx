import { lazy, Suspense, type ComponentProps } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { awaitingRateQuery } from '@/features/conversions/api/awaiting-rate';
import { AwaitingRate } from '@/features/conversions/components/awaiting-rate';
import { LedgerCard } from '@/features/conversions/components/ledger-card';
import { readState, writeState, type ConversionsState } from '@/features/conversions/lib/search';
import { linksQuery } from '@/features/links/api/links';
import { NoWebsites } from './no-websites';
import { Page } from './page';

const ExplanationDrawer = lazy(() =>
  import('@/features/conversions/components/explanation').then((module) => ({ default: module.ExplanationDrawer })),
);

export function ConversionsPage() {
  const navigate = useNavigate();
  const state = readState(useSearch({ from: '/member/conversions' }));
  const websites = useQuery(websitesQuery);
  const partners = useQuery(partnersQuery);
  const website = websites.data?.find((item) => item.id === state.website) ?? websites.data?.[0];
  const waiting = useQuery({ ...awaitingRateQuery(website?.id ?? ''), enabled: website !== undefined });
  const change = (part: Partial<ConversionsState>) =>
    void navigate({ to: '/conversions', search: writeState({ ...state, ...part }), resetScroll: false });
  return (
    <Page
      title="Conversions"
      subtitle="Track, approve and reconcile conversions"
      tools={
        website ? (
          <div className="flex flex-wrap items-center gap-2">
            <Select
              label="Website"
              className="lg:hidden"
              value={website.id}
              onChange={(event) => change({ website: event.target.value, open: null })}
            >
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
            <Link
              to="/conversions/networks"
              search={{ website: website.id }}
              className={buttonClass({ variant: 'ghost' })}
            >
              Network reports
            </Link>
            <Link
              to="/conversions/ad-platforms"
              search={{ website: website.id }}
              className={buttonClass({ variant: 'ghost' })}
            >
              Ad platforms
            </Link>
            <Link to="/payouts" search={{ website: website.id }} className={buttonClass({ variant: 'ghost' })}>
              Payouts
            </Link>
          </div>
        ) : (
          websites.data && null
        )
      }
    >
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading conversions" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <>
          <AwaitingRate waiting={waiting.data ?? []} />
          {/* Its requests run meanwhile; shown at once it would move down when the notice comes. */}
          <div className={waiting.isPending ? 'invisible' : ''}>
            <Ledger key={website.id} website={website} partners={partners.data ?? []} state={state} onChange={change} />
          </div>
          {state.open && (
            <Suspense>
              <ExplanationDrawer
                key={state.open}
                id={state.open}
                website={website}
                onClose={() => change({ open: null })}
              />
            </Suspense>
          )}
        </>
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}

/** With the website's links, by which the list is filtered. */
function Ledger(props: Omit<ComponentProps<typeof LedgerCard>, 'links'>) {
  const links = useCursorQuery(linksQuery(props.website.id));
  return <LedgerCard {...props} links={links.rows ?? []} />;
}
