// What was tracked, what the network reports, and what was paid, by partner and month.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type Reconciliation = Schemas['Reconciliation'];
export type ReconciliationDifference = Schemas['ReconciliationDifference'];
export type ReconciledPartner = Schemas['ReconciledPartner'];
export type ReconciliationMonth = Schemas['ReconciliationMonth'];
export type ReconciliationOverview = Schemas['ReconciliationOverview'];

/** A partner's month at a website. */
export interface PartnerMonth {
  readonly websiteId: string;
  readonly partnerId: string;
  readonly month: string;
}

export const reconciledPartnersQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['reconciliation', websiteId, 'partners'] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/reconciliation/partners', { params: { query: { websiteId } }, signal })),
    staleTime: 30_000,
  });

export const reconciliationQuery = (of: PartnerMonth) =>
  queryOptions({
    queryKey: ['reconciliation', of.websiteId, of.partnerId, of.month] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/reconciliation', { params: { query: { ...of } }, signal })),
    staleTime: 30_000,
  });

/** The address of a month's file. */
export const reconciliationFile = (of: PartnerMonth, kind: 'csv' | 'txt'): string =>
  `/api/platform/reconciliation.${kind}?${new URLSearchParams({ ...of }).toString()}`;

/** The month as a text for the partner. */
export const reconciliationText = (of: PartnerMonth): Promise<string> =>
  body(
    api.GET('/api/platform/reconciliation.txt', { params: { query: { ...of } }, parseAs: 'text' }),
  ) as Promise<string>;

export const acceptMonth = command({
  send: ({ fingerprint, ...of }: PartnerMonth & { readonly fingerprint: string }) =>
    body(api.POST('/api/platform/reconciliation/accept', { body: { ...of, fingerprint } })),
  changes: [['reconciliation']],
  success: 'Differences accepted',
  failure: 'Failed to accept the differences',
});

export const reopenMonth = command({
  send: (of: PartnerMonth) => body(api.POST('/api/platform/reconciliation/reopen', { body: { ...of } })),
  changes: [['reconciliation']],
  success: 'Month reopened',
  failure: 'Failed to reopen the month',
});
