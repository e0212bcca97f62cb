// The calls for sites. Documents are typed as the editor uses them, which the API's own description does not.
import type { Client } from 'openapi-fetch';
import { api, body } from '@/lib/api/client';
import type { PageDocument, SiteDocument } from '../lib/document';
import type { Niche } from '../lib/types';

type Path = Record<string, string | number>;
interface Answers {
  responses: { 200: { content: { 'application/json': unknown } } };
}
interface Read extends Answers {
  parameters: { query?: never };
}
interface At<P extends Path> extends Answers {
  parameters: { path: P };
}
interface Send<P extends Path, Body> extends At<P> {
  requestBody: { content: { 'application/json': Body } };
}
type OfSite = { id: string };
type OfPage = { id: string; pageId: string };

export interface Save<Document> {
  readonly document: Document;
  readonly basedOn: number;
  readonly restoredFrom?: number;
}
export interface NewSite {
  readonly websiteId: string;
  readonly name: string;
  readonly slug: string;
  readonly niche: Niche | null;
}
export interface Address {
  readonly slug: string;
  readonly domainId: string | null;
}
export interface Preview {
  readonly pageId: string;
  /** Null: what is saved. */
  readonly page: PageDocument | null;
  readonly document: SiteDocument | null;
}

interface SitePaths {
  '/api/platform/sites': { get: Read; post: Answers & { requestBody: { content: { 'application/json': NewSite } } } };
  '/api/platform/sites/starters': { get: Read };
  '/api/platform/sites/{id}': { get: At<OfSite>; delete: At<OfSite> };
  '/api/platform/sites/{id}/versions': { get: At<OfSite> };
  '/api/platform/sites/{id}/versions/{version}': { get: At<OfSite & { version: number }> };
  '/api/platform/sites/{id}/document': { put: Send<OfSite, Save<SiteDocument>> };
  '/api/platform/sites/{id}/address': { put: Send<OfSite, Address> };
  '/api/platform/sites/{id}/publish': { post: At<OfSite> };
  '/api/platform/sites/{id}/unpublish': { post: At<OfSite> };
  '/api/platform/sites/{id}/releases': { get: At<OfSite> };
  '/api/platform/sites/{id}/releases/{release}/publish': { post: At<OfSite & { release: number }> };
  '/api/platform/sites/{id}/images': { post: Send<OfSite, Blob> };
  '/api/platform/sites/{id}/preview': { post: Send<OfSite, Preview> };
  '/api/platform/sites/{id}/export': { get: At<OfSite> };
  '/api/platform/sites/{id}/pages/{pageId}': { get: At<OfPage>; put: Send<OfPage, Save<PageDocument>> };
  '/api/platform/sites/{id}/pages/{pageId}/versions': { get: At<OfPage> };
  '/api/platform/sites/{id}/pages/{pageId}/versions/{version}': { get: At<OfPage & { version: number }> };
}

export const siteApi = api as unknown as Client<SitePaths>;

/** The answer of a call, which is a `T` by the contract. */
export const answerOf = <T>(call: Promise<{ data?: unknown; response: Response }>): Promise<T> =>
  body(call as Promise<{ data?: T; response: Response }>);
