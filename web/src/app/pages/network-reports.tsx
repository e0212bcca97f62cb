import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { opened } from '@/components/data/opened';
import { ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import type { Website } from '@/lib/api/types';
import { textOf } from '@/lib/url/search';
import { importsQuery } from '@/features/networks/api/imports';
import { ConnectionsCard } from '@/features/networks/components/connections-card';
import { ImportsCard } from '@/features/networks/components/imports-card';
import { usualNetwork } from '@/features/networks/lib/usual-network';
import { NoWebsites } from './no-websites';
import { Page } from './page';

export { NetworkReportPage } from './network-report';

const UploadCard = opened(
  () => import('@/features/networks/components/upload-card').then((module) => module.UploadCard),
  <Skeleton className="h-96" />,
);

/** Reports of networks: uploaded or read from connected networks, and listed. */
export function NetworkReportsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/conversions/networks' });
  const websites = useQuery(websitesQuery);
  const wanted = textOf(search['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  return (
    <Page
      title="Network reports"
      subtitle="Import what networks report, with a preview first and an undo afterwards"
      tools={
        website ? (
          <div className="flex flex-wrap items-center gap-2">
            <Select
              label="Website"
              className="lg:hidden"
              value={website.id}
              onChange={(event) =>
                void navigate({ to: '/conversions/networks', search: { website: event.target.value } })
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
        <ErrorBox
          error={websites.error}
          prefix="Error loading network reports"
          onRetry={() => void websites.refetch()}
        />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <Reports key={website.id} website={website} network={textOf(search['network'])} />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}

interface Props {
  readonly website: Website;
  /** Named by the address. */
  readonly network: string | undefined;
}

function Reports({ website, network }: Props) {
  const navigate = useNavigate();
  const partners = useQuery(partnersQuery);
  const imports = useCursorQuery(importsQuery(website.id));
  // The form begins with the network that is used: it is drawn once that is known.
  if (partners.isPending || imports.isPending)
    return (
      <div role="status" aria-label="Loading network reports">
        <Skeleton className="h-dvh" />
      </div>
    );
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      <UploadCard
        website={website}
        partners={partners.data ?? []}
        network={network ?? usualNetwork(imports.rows ?? [], partners.data ?? [])}
        onUploaded={(id) =>
          void navigate({ to: '/conversions/networks/$id', params: { id }, search: { website: website.id } })
        }
      />
      <ConnectionsCard website={website} partners={partners.data ?? []} />
      <ImportsCard query={imports} />
    </div>
  );
}
