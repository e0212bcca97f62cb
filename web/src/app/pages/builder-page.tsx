import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { pageQuery, siteQuery } from '@/features/publishing/api/sites';
import { PageEditor } from '@/features/publishing/components/page-editor';
import { textOf } from '@/lib/url/search';
import { isMissing } from '@/lib/api/errors';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

export function BuilderPagePage() {
  const { site: siteId, page: pageId } = useParams({ from: '/member/builder/$site/$page' });
  const search = useSearch({ from: '/member/builder/$site/$page' });
  const wanted = useMemo(() => {
    const [block, field, text] = [textOf(search['block']), textOf(search['field']), textOf(search['text'])];
    return block && field && text ? { block, field, text } : null;
  }, [search]);
  const site = useQuery(siteQuery(siteId));
  const saved = useQuery(pageQuery(siteId, pageId));
  const page = site.data?.document.pages.find(({ id }) => id === pageId);
  const title = page?.title ?? 'Page';
  useTitle(title);
  if (isMissing(site.error)) return <NotFound />;
  if (site.data && site.isFetchedAfterMount && !page) return <NotFound />;
  const error = site.error ?? saved.error;
  const isReady = site.data && page && saved.data && saved.isFetchedAfterMount;
  return (
    <Page
      title={title}
      tools={
        <Link to="/builder/$site" params={{ site: siteId }} className="text-brand hover:underline">
          {site.data ? `All pages of ${site.data.name}` : 'All pages'}
        </Link>
      }
    >
      {error && !isReady && (
        <ErrorBox
          error={error}
          prefix="Error loading the page"
          onRetry={() => void Promise.all([site.refetch(), saved.refetch()])}
        />
      )}
      {!error && !isReady && <Loading label="Loading page" />}
      {isReady && <PageEditor key={pageId} site={site.data} saved={saved.data} wanted={wanted} />}
    </Page>
  );
}
