import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import type { PageDocument, SiteDocument } from '../lib/document';
import type {
  PageState,
  PageVersion,
  Release,
  Rendered,
  SavedPage,
  SavedSite,
  Site,
  SiteState,
  SiteSummary,
  Starter,
  StoredImage,
} from '../lib/types';
import { answerOf, siteApi, type Address, type NewSite, type Preview, type Save } from './contract';

const KEY = 'sites';
/** Another tab or device may have changed it. */
const FRESH = { staleTime: 0 } as const;

export const sitesQuery = queryOptions({
  queryKey: [KEY, 'list'] as const,
  queryFn: ({ signal }) => answerOf<readonly SiteSummary[]>(siteApi.GET('/api/platform/sites', { signal })),
  ...FRESH,
});

export const startersQuery = queryOptions({
  queryKey: [KEY, 'starters'] as const,
  queryFn: ({ signal }) => answerOf<readonly Starter[]>(siteApi.GET('/api/platform/sites/starters', { signal })),
});

export const siteQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'site', id] as const,
    queryFn: ({ signal }) =>
      answerOf<Site>(siteApi.GET('/api/platform/sites/{id}', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const releasesQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'releases', id] as const,
    queryFn: ({ signal }) =>
      answerOf<readonly Release[]>(
        siteApi.GET('/api/platform/sites/{id}/releases', { params: { path: { id } }, signal }),
      ),
    ...FRESH,
  });

/** A page that was never saved is empty: version 0. */
export const pageQuery = (id: string, pageId: string) =>
  queryOptions({
    queryKey: [KEY, 'page', id, pageId] as const,
    queryFn: ({ signal }) =>
      answerOf<SavedPage>(
        siteApi.GET('/api/platform/sites/{id}/pages/{pageId}', { params: { path: { id, pageId } }, signal }),
      ),
    ...FRESH,
  });

export const siteVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'site-versions', id] as const,
    queryFn: ({ signal }) =>
      answerOf<readonly PageVersion[]>(
        siteApi.GET('/api/platform/sites/{id}/versions', { params: { path: { id } }, signal }),
      ),
    ...FRESH,
  });

export const siteVersionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [KEY, 'site-version', id, version] as const,
    queryFn: ({ signal }) =>
      answerOf<SavedSite>(
        siteApi.GET('/api/platform/sites/{id}/versions/{version}', { params: { path: { id, version } }, signal }),
      ),
  });

export const versionsQuery = (id: string, pageId: string) =>
  queryOptions({
    queryKey: [KEY, 'versions', id, pageId] as const,
    queryFn: ({ signal }) =>
      answerOf<readonly PageVersion[]>(
        siteApi.GET('/api/platform/sites/{id}/pages/{pageId}/versions', { params: { path: { id, pageId } }, signal }),
      ),
    ...FRESH,
  });

export const versionQuery = (id: string, pageId: string, version: number) =>
  queryOptions({
    queryKey: [KEY, 'version', id, pageId, version] as const,
    queryFn: ({ signal }) =>
      answerOf<SavedPage>(
        siteApi.GET('/api/platform/sites/{id}/pages/{pageId}/versions/{version}', {
          params: { path: { id, pageId, version } },
          signal,
        }),
      ),
  });

/** How the server renders it; drafts need not be saved. */
export const previewQuery = (id: string, preview: Preview) =>
  queryOptions({
    queryKey: [KEY, 'preview', id, preview] as const,
    queryFn: ({ signal }) =>
      answerOf<Rendered>(
        siteApi.POST('/api/platform/sites/{id}/preview', { params: { path: { id } }, body: preview, signal }),
      ),
    gcTime: 0,
  });

/** Tracked links that a block may lead to. */
export const linksQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['links', websiteId, 'targets'] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/links', { params: { query: { websiteId, limit: 200 } }, signal })),
  });

export const domainsQuery = queryOptions({
  queryKey: ['custom-domains'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/custom-domains', { signal })),
  ...FRESH,
});

export const createSite = (site: NewSite) => answerOf<SiteState>(siteApi.POST('/api/platform/sites', { body: site }));

export const saveSite = (id: string, save: Save<SiteDocument>) =>
  answerOf<SiteState>(siteApi.PUT('/api/platform/sites/{id}/document', { params: { path: { id } }, body: save }));

export const savePage = (id: string, pageId: string, save: Save<PageDocument>) =>
  answerOf<PageState>(
    siteApi.PUT('/api/platform/sites/{id}/pages/{pageId}', { params: { path: { id, pageId } }, body: save }),
  );

export const publishSite = (id: string) =>
  answerOf<SiteState>(siteApi.POST('/api/platform/sites/{id}/publish', { params: { path: { id } } }));

export const unpublishSite = (id: string) =>
  answerOf<SiteState>(siteApi.POST('/api/platform/sites/{id}/unpublish', { params: { path: { id } } }));

export const publishRelease = (id: string, release: number) =>
  answerOf<SiteState>(
    siteApi.POST('/api/platform/sites/{id}/releases/{release}/publish', { params: { path: { id, release } } }),
  );

export const moveSite = (id: string, address: Address) =>
  answerOf<SiteState>(siteApi.PUT('/api/platform/sites/{id}/address', { params: { path: { id } }, body: address }));

export const removeSite = (id: string) =>
  done(siteApi.DELETE('/api/platform/sites/{id}', { params: { path: { id } } }));

/** The file itself is the body. */
export const uploadImage = (id: string, file: File) =>
  answerOf<StoredImage>(
    siteApi.POST('/api/platform/sites/{id}/images', {
      params: { path: { id } },
      headers: { 'Content-Type': file.type },
      body: file,
      bodySerializer: () => file,
    }),
  );

/** The site as a zip that any static host serves. */
export const exportSite = (id: string) =>
  answerOf<Blob>(siteApi.GET('/api/platform/sites/{id}/export', { params: { path: { id } }, parseAs: 'blob' }));

/** Everything that is read of sites is read again. */
export function useSitesChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [KEY], predicate: ({ queryKey }) => queryKey[1] !== 'preview' });
}
