import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import { toastError } from '@/stores/toasts';
import { MAX_TITLE, type PageDocument, type SiteDocument } from '../lib/document';
import { draftOf, type PlannedArticle } from '../lib/site-start';
import { addPage } from '../lib/site-edits';
import type { Address, NewSite, OfSite, PreviewOrder, Save, Site } from '../lib/types';

const KEY = 'sites';
/** All that is read of sites, but previews: they follow the draft. */
const SITES = [
  'list',
  'starters',
  'site',
  'releases',
  'page',
  'site-versions',
  'site-version',
  'versions',
  'version',
].map((part) => [KEY, part]);
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

/** Texts in square brackets of the saved site that are to fill in. */
export const placeholdersQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'placeholders', id] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/sites/{id}/placeholders', { params: { path: { id } }, signal })),
    gcTime: 0,
    ...FRESH,
  });

/** As many tracked links are offered as targets. */
export const MAX_TARGETS = 200;

/** Tracked links that a block may lead to. */
export const linksQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['links', websiteId, 'targets'] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/links', { params: { query: { websiteId, limit: MAX_TARGETS } }, signal })),
  });

export const domainsQuery = queryOptions({
  queryKey: ['custom-domains'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/custom-domains', { signal })),
  ...FRESH,
});

/** A copy has the type of the API, which knows no fields of documents. */
const sent = (save: Save<SiteDocument | PageDocument>) => ({ ...save, document: { ...save.document } });

export const saveSite = (id: string, save: Save<SiteDocument>) =>
  body(api.PUT('/api/platform/sites/{id}/document', { params: { path: { id } }, body: sent(save) }));

export const savePage = (id: string, pageId: string, save: Save<PageDocument>) =>
  body(api.PUT('/api/platform/sites/{id}/pages/{pageId}', { params: { path: { id, pageId } }, body: sent(save) }));

/** Adds a page for the article to a site, with its outline as headings. Gives the page's id. */
async function draftArticle(id: string, article: PlannedArticle): Promise<string> {
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

/** A site, and the page of an article if there is one. */
export const createSite = command({
  send: async ({ article, ...site }: NewSite & { readonly article: PlannedArticle | null }) => {
    const { id } = await body(api.POST('/api/platform/sites', { body: site }));
    return { id, pageId: article ? await drafted(id, article) : null };
  },
  changes: SITES,
});

/** The site is there even if its page is not: nothing is lost but the outline. */
async function drafted(id: string, article: PlannedArticle): Promise<string | null> {
  try {
    return await draftArticle(id, article);
  } catch (error) {
    toastError('Failed to draft the article', messageOf(error));
    return null;
  }
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

interface Publication {
  /** Saves what is not saved yet. True: everything is. */
  readonly beforePublish: () => Promise<boolean>;
  readonly onProgress: (rendered: string) => void;
  /** The author has seen which texts are still to fill in, and publishes them. */
  readonly allowsPlaceholders?: boolean;
}

class PlaceholdersLeft extends Error {}

/** Found before it is sent, or by the server: another window may have saved meanwhile. */
export const hasPlaceholders = (error: unknown): boolean =>
  error instanceof PlaceholdersLeft || (error instanceof ApiError && error.code === 'placeholders_left');

export const publishSite = ({ id, address }: Site) =>
  command({
    send: async ({ beforePublish, onProgress, allowsPlaceholders = false }: Publication) => {
      if (!(await beforePublish())) throw new Error('Save your changes first.');
      if (!allowsPlaceholders) {
        const { count } = await body(api.GET('/api/platform/sites/{id}/placeholders', { params: { path: { id } } }));
        if (count > 0) throw new PlaceholdersLeft();
      }
      const order = { params: { path: { id } }, body: { allowsPlaceholders } };
      return untilRendered(() => body(api.POST('/api/platform/sites/{id}/publish', order)), onProgress);
    },
    changes: SITES,
    success: ['Site published', address],
    failure: (error) => (hasPlaceholders(error) ? null : ['Not published', messageOf(error)]),
  });

export const unpublishSite = command({
  send: (id: string) => body(api.POST('/api/platform/sites/{id}/unpublish', { params: { path: { id } } })),
  changes: SITES,
  success: ['Site unpublished', 'Visitors no longer see it.'],
  failure: 'Failed to unpublish',
});

export const publishRelease = (id: string) =>
  command({
    send: (release: number) =>
      untilRendered(() =>
        body(api.POST('/api/platform/sites/{id}/releases/{release}/publish', { params: { path: { id, release } } })),
      ),
    changes: SITES,
    success: (_, release) => `Release ${release} is published again`,
    failure: 'Failed to roll back',
  });

export const moveSite = (id: string) =>
  command({
    send: (address: Address) =>
      untilRendered(() =>
        body(api.PUT('/api/platform/sites/{id}/address', { params: { path: { id } }, body: address })),
      ),
    changes: SITES,
    success: 'Address saved',
  });

export const removeSite = command({
  send: (id: string) => done(api.DELETE('/api/platform/sites/{id}', { params: { path: { id } } })),
  changes: SITES,
  success: 'Site removed',
  failure: 'Failed to remove the site',
});

/** The file itself is the body. */
export const uploadImage = (id: string) =>
  command({
    send: (file: File) =>
      body(
        api.POST('/api/platform/sites/{id}/images', {
          params: { path: { id } },
          headers: { 'Content-Type': file.type },
          body: file as unknown as string,
          bodySerializer: () => file,
        }),
      ),
  });

/** The site as a zip that any static host serves. */
export const exportSite = command({
  send: (id: string) => body(api.GET('/api/platform/sites/{id}/export', { params: { path: { id } }, parseAs: 'blob' })),
  failure: 'Failed to export the site',
});
