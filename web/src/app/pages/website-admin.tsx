import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { messageOf } from '@/lib/api/errors';
import { useWebsiteSession } from '@/lib/session/website-session';
import { toastError } from '@/stores/toasts';
import { DeliveryStats } from '@/features/analytics/components/delivery-card';
import { KpiCards } from '@/features/analytics/components/kpi-cards';
import { finished } from '@/features/analytics/lib/periods';
import { signOutOfWebsite } from '@/features/accounts/api/sign-in';
import { CountriesCard, KeysCard, PartnersCard } from '@/features/websites/components/website-cards';
import {
  clicksQuery,
  deliveryQuery,
  OF_WEBSITE,
  overviewQuery,
  RANGES,
  websiteQuery,
  type Range,
} from '@/features/websites/api/website-session';
import { Page } from './page';

/** The page of a website token: reports, deliveries and keys of one website. */
export function WebsiteAdminPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const session = useWebsiteSession();
  const [range, setRange] = useState<Range>('7d');
  const website = useQuery({ ...websiteQuery(session?.website.id ?? ''), enabled: session !== null });
  const timezone = website.data?.timezone ?? 'UTC';
  useEffect(() => {
    if (session) return;
    client.removeQueries({ queryKey: [OF_WEBSITE] });
    void navigate({ to: '/login', search: { tab: 'website' }, replace: true });
  }, [session, client, navigate]);
  if (!session) return null;
  const leave = () => {
    signOutOfWebsite().catch((error: unknown) => toastError('Signed out in this browser only', messageOf(error)));
  };
  return (
    <Page
      title={session.website.domain}
      subtitle={`Website access. Welcome back, ${session.user.name}`}
      tools={
        <div className="flex flex-wrap gap-2">
          <Select label="Time range" value={range} onChange={(event) => setRange(event.target.value as Range)}>
            {Object.entries(RANGES).map(([id, label]) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </Select>
          <Button onClick={leave}>
            <LogOut aria-hidden className="size-4" />
            Logout
          </Button>
        </div>
      }
    >
      {website.error ? (
        <ErrorBox error={website.error} onRetry={() => void website.refetch()} />
      ) : website.data ? (
        <Figures
          id={session.website.id}
          range={range}
          domain={website.data.domain}
          timezone={timezone}
          currency={website.data.currency}
        />
      ) : (
        <Loading label="Loading the website" />
      )}
    </Page>
  );
}

interface StatsProps {
  readonly id: string;
  readonly range: Range;
  readonly domain: string;
  readonly timezone: string;
  readonly currency: string;
}

function Figures({ id, range, domain, timezone, currency }: StatsProps) {
  const period = { range, from: null, to: null };
  const overview = useQuery(overviewQuery(id, range));
  const clicks = useQuery(clicksQuery(id, range));
  const delivery = useQuery(deliveryQuery(id, range));
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      {overview.error && (
        <ErrorBox error={overview.error} prefix="Error loading analytics" onRetry={() => void overview.refetch()} />
      )}
      <KpiCards
        overview={overview.data}
        points={finished(period, clicks.data ?? [], timezone, new Date())}
        compare="previous"
        failed={overview.error !== null}
      />
      <div className="grid gap-4 sm:gap-5 xl:grid-cols-2">
        <PartnersCard id={id} range={range} currency={currency} />
        <CountriesCard id={id} range={range} currency={currency} />
      </div>
      <DeliveryStats website={{ domain, timezone }} period={period} query={delivery} />
      <KeysCard id={id} timezone={timezone} />
    </div>
  );
}
