// What partners paid and owe.
import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import type { components } from '@/lib/api/schema';
import type { Money } from '@/lib/api/types';
import type { Months } from '../lib/accountant';

type Schemas = components['schemas'];
export type Payout = Schemas['RecordedPayout'];
export type Balances = Schemas['Balances'];
export type PartnerBalance = Schemas['PartnerBalance'];
export type Aged = Schemas['Aged'];
export type AccountantOverview = Schemas['AccountantOverview'];

const PAGE = 50;
export const MAX_FILE_BYTES = 1_000_000;
export const FILE_TYPES = 'application/pdf,image/png,image/jpeg,image/webp';

export const balancesQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['payouts', websiteId, 'balances'] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/payouts/balances', { params: { query: { websiteId } }, signal })),
    staleTime: 30_000,
  });

export const payoutsQuery = (websiteId: string, partnerId: string | null) =>
  cursorQuery({
    queryKey: ['payouts', websiteId, 'list', partnerId] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/payouts', {
          params: {
            query: {
              websiteId,
              limit: PAGE,
              ...(partnerId ? { partnerId } : {}),
              ...at,
            },
          },
          signal,
        }),
      ),
    staleTime: 30_000,
  });

/** What a payout says; `credited`: its worth in the website's currency, if it was paid in another. */
export interface PayoutDraft {
  readonly amount: Money;
  readonly credited: number | null;
  readonly paidOn: string;
  readonly reference: string;
  /** Null: the oldest open months first. */
  readonly allocations: readonly { readonly month: string; readonly amount: number }[] | null;
}

const draftBody = ({ amount, credited, paidOn, reference, allocations }: PayoutDraft) => ({
  amount,
  paidOn,
  ...(credited === null ? {} : { credited }),
  ...(reference ? { reference } : {}),
  ...(allocations ? { allocations: [...allocations] } : {}),
});

export interface PayoutToSave {
  readonly draft: PayoutDraft;
  readonly partnerId: string;
  readonly file: File | null;
  /** The payout that is corrected, and why; null: a new one. */
  readonly correction: { readonly id: string; readonly reason: string } | null;
}

/** Records or corrects a payout, then adds its file: the payout stands even if the file is refused, and the result says why. */
export const savePayout = (websiteId: string) =>
  command({
    send: async ({ draft, partnerId, file, correction }: PayoutToSave) => {
      const payout = await body(
        correction
          ? api.POST('/api/platform/payouts/{id}/correct', {
              params: { path: { id: correction.id } },
              body: { ...draftBody(draft), reason: correction.reason },
            })
          : api.POST('/api/platform/payouts', { body: { websiteId, partnerId, ...draftBody(draft) } }),
      );
      try {
        if (file) await attachFile(payout.id, file);
      } catch (error) {
        return messageOf(error);
      }
      return null;
    },
    changes: [['payouts'], ['reconciliation']],
    failure: 'Failed to save the payout',
  });

export const voidPayout = command({
  send: ({ id, reason }: { readonly id: string; readonly reason: string }) =>
    body(api.POST('/api/platform/payouts/{id}/void', { params: { path: { id } }, body: { reason } })),
  changes: [['payouts'], ['reconciliation']],
  success: 'Payout voided',
  failure: 'Failed to void the payout',
});

/** The file itself is the body; its description has no place for that in the types. */
const attachFile = (id: string, file: File) =>
  body(
    api.POST('/api/platform/payouts/{id}/file', {
      params: { path: { id } },
      headers: { 'Content-Type': file.type },
      body: file as never,
      bodySerializer: () => file,
    }),
  );

export const payoutFile = (id: string): string => `/api/platform/payouts/${id}/file`;

/** Which websites, none for all, and the currency of all amounts; empty: each website's own. */
export interface AccountantChoice {
  readonly websites: readonly string[];
  readonly currency: string;
}

export const accountantQuery = ({ websites, currency }: AccountantChoice, { from, to }: Months) =>
  queryOptions({
    queryKey: ['payouts', 'accountant', websites, currency, from, to] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/accountant-file', {
          params: {
            query: {
              month: from,
              until: to,
              ...(websites.length > 0 ? { websiteId: websites.join(',') } : {}),
              ...(currency ? { currency } : {}),
            },
          },
          signal,
        }),
      ),
    staleTime: 30_000,
  });

export function accountantFile(choice: AccountantChoice, { from, to }: Months, kind: 'csv' | 'pdf'): string {
  const query = new URLSearchParams({ month: from, ...(to > from ? { until: to } : {}) });
  if (choice.websites.length > 0) query.set('websiteId', choice.websites.join(','));
  if (choice.currency) query.set('currency', choice.currency);
  return `/api/platform/statements.${kind}?${query.toString()}`;
}
