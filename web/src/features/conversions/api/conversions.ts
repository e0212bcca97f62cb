import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { Conversion } from '@/lib/api/types';

export const latestConversionsQuery = (websiteId: string, limit: number) =>
  queryOptions({
    queryKey: ['conversions', websiteId, 'latest', limit] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/conversions', { params: { query: { websiteId, limit } }, signal })),
    staleTime: 30_000,
  });

export type Decision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'reject'; readonly reason: string }
  | { readonly kind: 'reverse'; readonly reason: string; readonly amount: number | null };

export async function decide(id: string, decision: Decision): Promise<Conversion> {
  // The command names the status as text; it is one of the four.
  return (await send(id, decision)) as Conversion;
}

function send(id: string, decision: Decision) {
  const params = { path: { id } };
  switch (decision.kind) {
    case 'approve':
      return body(api.POST('/api/platform/conversions/{id}/approve', { params, body: {} }));
    case 'reject':
      return body(api.POST('/api/platform/conversions/{id}/reject', { params, body: { reason: decision.reason } }));
    case 'reverse':
      return body(
        api.POST('/api/platform/conversions/{id}/reverse', {
          params,
          body: { reason: decision.reason, ...(decision.amount === null ? {} : { amount: decision.amount }) },
        }),
      );
  }
}

/** The optimistic row until the server responds. A partial reversal leaves the status to the server. */
export function predict(conversion: Conversion, decision: Decision): Conversion {
  switch (decision.kind) {
    case 'approve':
      return { ...conversion, status: 'approved' };
    case 'reject':
      return { ...conversion, status: 'rejected', reason: decision.reason };
    case 'reverse':
      return decision.amount === null
        ? { ...conversion, status: 'reversed', reason: decision.reason, reversed: conversion.amount }
        : {
            ...conversion,
            reason: decision.reason,
            reversed: { ...conversion.reversed, amount: conversion.reversed.amount + decision.amount },
          };
  }
}

/** Whether a timer approves it; never for a claim. */
export const isAutoApproved = <T extends Pick<Conversion, 'approvesAt' | 'keyKind'>>(
  conversion: T,
): conversion is T & { approvesAt: string } => conversion.approvesAt !== null && conversion.keyKind !== 'site';

export const isOpenClaim = (conversion: Pick<Conversion, 'status' | 'keyKind'>): boolean =>
  conversion.status === 'pending' && conversion.keyKind === 'site';

export const allowed = (conversion: Conversion): readonly Decision['kind'][] => {
  if (conversion.status === 'pending') return ['approve', 'reject'];
  return conversion.status === 'approved' ? ['reverse'] : [];
};
