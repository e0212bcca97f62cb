import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { textOf } from '@/lib/search';
import { useSession } from '@/lib/session';
import { userQuery, websitesQuery } from '@/lib/shared-queries';
import { invitesQuery } from '@/features/account/queries';
import { KpiCards } from '@/features/analytics/kpi-cards';
import { finished } from '@/features/analytics/periods';
import { clicksQuery, overviewQuery, paramsOf } from '@/features/analytics/queries';
import { DEFAULT_STATE } from '@/features/analytics/search';
import { useLiveRefresh } from '@/features/analytics/use-live-refresh';
import { LATEST, LatestConversions } from '@/features/conversions/latest-conversions';
import { latestConversionsQuery } from '@/features/conversions/queries';
import { GettingStarted } from '@/features/dashboard/getting-started';
import { LinksCard } from '@/features/links/links-card';
import { linksQuery } from '@/features/links/queries';
import { NoWebsites } from './no-websites';
import { Page } from './page';

const PERIOD = { range: '30d', from: null, to: null } as const;

export function DashboardPage() {
  const navigate = useNavigate();
  const session = useSession();
  const wanted = textOf(useSearch({ from: '/member/dashboard' })['website']);
  const websites = useQuery(websitesQuery);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  const subtitle = session ? `Welcome back, ${session.user.name}` : 'Welcome back';
  return (
    <Page
      title="Dashboard"
      subtitle={subtitle}
      tools={
        website && (
          <div className="flex flex-wrap gap-2">
            <Select label="Website" className="flex-1" value={website.id} onChange={(event) => void navigate({ to: '/dashboard', search: { website: event.target.value } })}>
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
            <Link to="/analytics" search={{ website: website.id }} className={buttonClass({ variant: 'primary' })}>
              Open Analytics
            </Link>
          </div>
        )
      }
    >
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading analytics" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <Overview key={website.id} website={website} />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}

function Overview({ website }: { readonly website: Website }) {
  const params = paramsOf(website.id, PERIOD, DEFAULT_STATE);
  const overview = useQuery(overviewQuery(params, 'previous'));
  const clicks = useQuery(clicksQuery(params));
  const links = useQuery(linksQuery(website.id));
  const latest = useQuery(latestConversionsQuery(website.id, LATEST));
  useLiveRefresh(website.id, true);
  const account = useQuery({ ...userQuery, staleTime: 0 });
  const invites = useQuery(invitesQuery);
  const known = overview.data && links.data && latest.data && account.data && invites.data;
  const arrived = (overview.data?.data.pageviews ?? 0) + (overview.data?.data.clicks.total ?? 0) > 0;
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      {overview.error && !overview.data ? (
        <ErrorBox error={overview.error} prefix="Error loading analytics" onRetry={() => void overview.refetch()} />
      ) : (
        <KpiCards overview={overview.data?.data} points={finished(PERIOD, clicks.data?.data ?? [], website.timezone, new Date())} compare="previous" />
      )}
      <p className="-mt-1 text-[0.8125rem] text-muted">Last 30 days, each compared with the 30 days before, in {website.timezone}.</p>
      {known && (
        <GettingStarted
          steps={[
            { title: 'Connect a website', text: `${website.domain} is connected.`, done: true },
            {
              title: 'Receive the first event', text: 'Put the snippet into your pages.', done: arrived,
              action: <Link to="/account-settings" search={{ tab: 'websites' }} className="font-medium text-brand hover:underline">Show the snippet</Link>,
            },
            { title: 'Create a tracked link', text: 'Each use of it is a click.', done: links.data.length > 0 },
            {
              title: 'Turn on two-factor sign-in', text: 'A code beside your password keeps your money yours.', done: account.data.twoFactor,
              action: <Link to="/account-settings" search={{ tab: 'general' }} className="font-medium text-brand hover:underline">Set it up</Link>,
            },
            {
              title: 'Invite somebody', text: 'Registration is by invite only.', done: invites.data.length > 0,
              action: <Link to="/account-settings" search={{ tab: 'invite-codes' }} className="font-medium text-brand hover:underline">Make an invite code</Link>,
            },
            { title: 'Report the first conversion', text: 'By a partner’s postback or from your server.', done: latest.data.length > 0, action: <a href="/api/docs" className="font-medium text-brand hover:underline">Read the API documentation</a> },
          ]}
        />
      )}
      <div className="grid gap-4 sm:gap-5 xl:grid-cols-2">
        <LatestConversions
          website={website}
          more={<Link to="/analytics" search={{ website: website.id }} className={buttonClass({ size: 'sm' })}>View all</Link>}
        />
        <LinksCard website={website} />
      </div>
    </div>
  );
}
