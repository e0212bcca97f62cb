import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { websitesQuery } from '@/lib/api/shared-queries';
import type { Website } from '@/lib/api/types';
import { textOf } from '@/lib/url/search';
import { destinationsQuery } from '@/features/destinations/api/destinations';
import { DeliveriesCard } from '@/features/destinations/components/deliveries-card';
import { DestinationsCard } from '@/features/destinations/components/destinations-card';
import { UploadFilesCard } from '@/features/destinations/components/upload-files-card';
import { platformOf } from '@/features/destinations/lib/platforms';
import { NoWebsites } from './no-websites';
import { Page } from './page';

/** Approved conversions back to ad platforms: which get them, what was sent, and files to upload. */
export function AdPlatformsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/conversions/ad-platforms' });
  const websites = useQuery(websitesQuery);
  const wanted = textOf(search['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  return (
    <Page
      title="Ad platforms"
      subtitle="Send approved conversions back to the platforms whose ads brought them"
      tools={
        website ? (
          <div className="flex flex-wrap items-center gap-2">
            <Select
              label="Website"
              className="lg:hidden"
              value={website.id}
              onChange={(event) =>
                void navigate({ to: '/conversions/ad-platforms', search: { website: event.target.value } })
              }
            >
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
            <Link to="/conversions" search={{ website: website.id }} className={buttonClass({ variant: 'ghost' })}>
              Conversions
            </Link>
          </div>
        ) : (
          websites.data && null
        )
      }
    >
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading ad platforms" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <AdPlatforms key={website.id} website={website} wanted={textOf(search['destination'])} />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}

interface Props {
  readonly website: Website;
  /** The destination whose deliveries are shown, named by the address; the newest without one. */
  readonly wanted: string | undefined;
}

function AdPlatforms({ website, wanted }: Props) {
  const query = useCursorQuery(destinationsQuery(website.id));
  const shown = query.rows?.find(({ id }) => id === wanted) ?? query.rows?.[0];
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      {!website.keepAdClickIds && <NotKept website={website} />}
      <DestinationsCard website={website} query={query} shown={shown?.id} />
      {shown && platformOf(shown.platform)?.hasFiles && (
        <UploadFilesCard key={`files-${shown.id}`} destination={shown} website={website} />
      )}
      {shown && <DeliveriesCard key={shown.id} destination={shown} website={website} />}
    </div>
  );
}

const NotKept = ({ website: { id, domain } }: { readonly website: Website }) => (
  <section aria-label="Ad click IDs are off" className="rounded-lg border border-warn/30 bg-warn-soft px-4 py-3">
    <p>
      {`${domain} does not keep ad click IDs. Without them, no conversion can be sent. `}
      <Link
        to="/account-settings"
        search={{ tab: 'websites' }}
        hash={`ad-click-ids-${id}`}
        className="font-medium text-brand hover:underline"
      >
        Turn them on in the settings
      </Link>
    </p>
  </section>
);
