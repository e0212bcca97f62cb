import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { siteQuery } from '@/features/publishing/api/sites';
import { SITE_TABS, SiteEditor } from '@/features/publishing/components/site-editor';
import { isMissing } from '@/lib/api/errors';
import { textOf } from '@/lib/url/search';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

export function BuilderSitePage() {
  const { site: id } = useParams({ from: '/member/builder/$site' });
  const search = useSearch({ from: '/member/builder/$site' });
  const navigate = useNavigate();
  const site = useQuery(siteQuery(id));
  const tab = SITE_TABS.find((each) => each === textOf(search['tab'])) ?? 'pages';
  useTitle(site.data?.name ?? 'Site');
  if (isMissing(site.error)) return <NotFound />;
  return (
    <Page title={site.data?.name ?? 'Site'} tools={<BuilderCrumbs />}>
      {site.error && !site.data && (
        <ErrorBox error={site.error} prefix="Error loading the site" onRetry={() => void site.refetch()} />
      )}
      {site.isPending && <Loading label="Loading site" />}
      {/* The cache may be stale: the editor starts with current data. */}
      {site.data && site.isFetchedAfterMount && (
        <SiteEditor
          key={id}
          site={site.data}
          tab={tab}
          editing={textOf(search['page']) ?? null}
          onTab={(next) =>
            void navigate({ to: '/builder/$site', params: { site: id }, search: { tab: next }, resetScroll: false })
          }
          linkTo={(page, onClick) => (
            <Link
              to="/builder/$site/$page"
              params={{ site: id, page: page.id }}
              onClick={onClick}
              className="text-brand hover:underline"
            >
              {page.title}
            </Link>
          )}
          onOpen={(page) => void navigate({ to: '/builder/$site/$page', params: { site: id, page: page.id } })}
          onRemoved={() => void navigate({ to: '/builder' })}
        />
      )}
    </Page>
  );
}

const BuilderCrumbs = () => (
  <Link to="/builder" className="text-brand hover:underline">
    All sites
  </Link>
);
