import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { ApiError } from '@/lib/api/errors';
import { MAX_TITLE, type PageDocument, type SiteDocument } from '../lib/document';
import { draftOf, type PlannedArticle } from '../lib/site-start';
import { addPage } from '../lib/site-edits';
import type { Address, NewSite, OfSite, PreviewOrder, Save } from '../lib/types';

const KEY = 'sites';
/** The server has checked the document when it was saved. */
const withSite = async <T extends { document: unknown }>(answer: Promise<T>) => (await answer) as OfSite<T>;
/** Another tab or device may have changed it. */
const FRESH = { staleTime: 0 } as const;

export const sitesQuery = queryOptions({
  queryKey: [KEY, 'list'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sites', { signal })),
  ...FRESH,
});

export const startersQuery = queryOptions({
  queryKey: [KEY, 'starters'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sites/starters', { signal })),
});

export const siteQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'site', id] as const,
    queryFn: ({ signal }) => withSite(body(api.GET('/api/platform/sites/{id}', { params: { path: { id } }, signal }))),
    ...FRESH,
  });

export const releasesQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'releases', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/sites/{id}/releases', { params: { path: { id } }, signal })),
    ...FRESH,
  });

/** A page that was never saved is empty: version 0. */
export const pageQuery = (id: string, pageId: string) =>
  queryOptions({
    queryKey: [KEY, 'page', id, pageId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/sites/{id}/pages/{pageId}', { params: { path: { id, pageId } }, signal })),
    ...FRESH,
  });

export const siteVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'site-versions', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/sites/{id}/versions', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const siteVersionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [KEY, 'site-version', id, version] as const,
    queryFn: ({ signal }) =>
      withSite(
        body(api.GET('/api/platform/sites/{id}/versions/{version}', { params: { path: { id, version } }, signal })),
      ),
  });

export const versionsQuery = (id: string, pageId: string) =>
  queryOptions({
    queryKey: [KEY, 'versions', id, pageId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/sites/{id}/pages/{pageId}/versions', { params: { path: { id, pageId } }, signal })),
    ...FRESH,
  });

export const versionQuery = (id: string, pageId: string, version: number) =>
  queryOptions({
    queryKey: [KEY, 'version', id, pageId, version] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/sites/{id}/pages/{pageId}/versions/{version}', {
          params: { path: { id, pageId, version } },
          signal,
        }),
      ),
  });

/** How the server renders it; drafts need not be saved. */
export const previewQuery = (id: string, preview: PreviewOrder) =>
  queryOptions({
    queryKey: [KEY, 'preview', id, preview] as const,
    queryFn: ({ signal }) =>
      body(
        api.POST('/api/platform/sites/{id}/preview', {
          params: { path: { id } },
          body: {
            ...preview,
            page: preview.page && { ...preview.page },
            document: preview.document && { ...preview.document },
          },
          signal,
        }),
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

export const createSite = (site: NewSite) => body(api.POST('/api/platform/sites', { body: site }));

/** A copy has the type of the API, which knows no fields of documents. */
const sent = (save: Save<SiteDocument | PageDocument>) => ({ ...save, document: { ...save.document } });

export const saveSite = (id: string, save: Save<SiteDocument>) =>
  body(api.PUT('/api/platform/sites/{id}/document', { params: { path: { id } }, body: sent(save) }));

export const savePage = (id: string, pageId: string, save: Save<PageDocument>) =>
  body(api.PUT('/api/platform/sites/{id}/pages/{pageId}', { params: { path: { id, pageId } }, body: sent(save) }));

/** Adds a page for the article to a site, with its outline as headings. Gives the page's id. */
export async function draftArticle(id: string, article: PlannedArticle): Promise<string> {
  const { document, documentVersion } = await withSite(
    body(api.GET('/api/platform/sites/{id}', { params: { path: { id } } })),
  );
  const pageId = crypto.randomUUID();
  await saveSite(id, {
    document: addPage(document, article.title.slice(0, MAX_TITLE), pageId),
    basedOn: documentVersion,
  });
  await savePage(id, pageId, { document: draftOf(article), basedOn: 0 });
  return pageId;
}

/** Sends until all pages are rendered: a large site takes several requests. `onProgress` gets "12 of 64". */
async function untilRendered<T>(send: () => Promise<T>, onProgress?: (rendered: string) => void): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'rendering')) throw error;
      onProgress?.(/^\d+ of \d+/.exec(error.message)?.[0] ?? '');
    }
  }
}

export const publishSite = (id: string, onProgress?: (rendered: string) => void) =>
  untilRendered(() => body(api.POST('/api/platform/sites/{id}/publish', { params: { path: { id } } })), onProgress);

export const unpublishSite = (id: string) =>
  body(api.POST('/api/platform/sites/{id}/unpublish', { params: { path: { id } } }));

export const publishRelease = (id: string, release: number) =>
  untilRendered(() =>
    body(api.POST('/api/platform/sites/{id}/releases/{release}/publish', { params: { path: { id, release } } })),
  );

export const moveSite = (id: string, address: Address) =>
  untilRendered(() => body(api.PUT('/api/platform/sites/{id}/address', { params: { path: { id } }, body: address })));

export const removeSite = (id: string) => done(api.DELETE('/api/platform/sites/{id}', { params: { path: { id } } }));

/** The file itself is the body. */
export const uploadImage = (id: string, file: File) =>
  body(
    api.POST('/api/platform/sites/{id}/images', {
      params: { path: { id } },
      headers: { 'Content-Type': file.type },
      body: file as unknown as string,
      bodySerializer: () => file,
    }),
  );

/** The site as a zip that any static host serves. */
export const exportSite = (id: string) =>
  body(api.GET('/api/platform/sites/{id}/export', { params: { path: { id } }, parseAs: 'blob' }));

/** Everything that is read of sites is read again. */
export function useSitesChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [KEY], predicate: ({ queryKey }) => queryKey[1] !== 'preview' });
}
