import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { Conversion } from '@/lib/api/types';

export const latestConversionsQuery = (websiteId: string, limit: number) =>
  queryOptions({
    queryKey: ['conversions', websiteId, 'latest', limit] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/conversions', { params: { query: { websiteId, limit } }, signal })),
    staleTime: 30_000,
  });

/** All reads that show a conversion. */
export const CONVERSION_READS = [['conversions'], ['statements'], ['explanation'], ['analytics'], ['payouts']] as const;

interface Reversal {
  readonly conversion: Pick<Conversion, 'id' | 'txid'>;
  readonly reason: string;
  /** Null: all that is left of it. */
  readonly amount: number | null;
}

/** Reverses a sale. */
export const reverse = command({
  send: ({ conversion: { id }, reason, amount }: Reversal) =>
    body(
      api.POST('/api/platform/conversions/{id}/reverse', {
        params: { path: { id } },
        body: { reason, ...(amount === null ? {} : { amount }) },
      }),
    ),
  changes: CONVERSION_READS,
  success: (_, { conversion }) => ['Conversion reversed', `Transaction ${conversion.txid}`],
  failure: 'Failed to reverse',
});

/** Whether a timer approves it; never for a claim. */
export const isAutoApproved = <T extends Pick<Conversion, 'approvesAt' | 'keyKind'>>(
  conversion: T,
): conversion is T & { approvesAt: string } => conversion.approvesAt !== null && conversion.keyKind !== 'site';

export const isOpenClaim = (conversion: Pick<Conversion, 'status' | 'keyKind'>): boolean =>
  conversion.status === 'pending' && conversion.keyKind === 'site';

/** Whether it waits for its owner, as a repetition of it could be another sale. */
export const isWithoutTxid = (conversion: Pick<Conversion, 'status' | 'unread'>): boolean =>
  conversion.status === 'pending' && (conversion.unread ?? []).includes('txid');

export type Action = 'approve' | 'reject' | 'reverse';

export const allowed = (conversion: Pick<Conversion, 'status' | 'decision'>): readonly Action[] => {
  if (conversion.decision) return [];
  if (conversion.status === 'pending') return ['approve', 'reject'];
  return conversion.status === 'approved' ? ['reverse'] : [];
};
