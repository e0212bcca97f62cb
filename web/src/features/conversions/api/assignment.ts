// What an unattributed conversion can be assigned to, and the assignment.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { components } from '@/lib/api/schema';
import type { Conversion } from '@/lib/api/types';
import { CONVERSION_READS } from './conversions';

export type MissingClick = components['schemas']['MissingClick'];
export type CandidateClick = components['schemas']['CandidateClick'];

/** How many choices are shown: at first, and each time more are wanted. */
export const SHOWN = [20, 100, 200] as const;

/** The latest clicks of the conversion's website before it occurred, as far back as they are stored. */
export const candidatesQuery = (id: string, partnerId: string, search: string, limit: number) =>
  queryOptions({
    queryKey: ['explanation', id, 'clicks', partnerId, search, limit] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/platform/conversions/{id}/clicks', {
          params: {
            path: { id },
            query: { limit, ...(partnerId ? { partnerId } : {}), ...(search ? { search } : {}) },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** Links of the website, the newest first. */
export const linkChoicesQuery = (websiteId: string, partnerId: string, search: string, limit: number) =>
  queryOptions({
    queryKey: ['links', websiteId, 'choices', partnerId, search, limit] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/links', {
          params: {
            query: { websiteId, limit, ...(partnerId ? { partnerId } : {}), ...(search ? { search } : {}) },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

export type Choice = { readonly clickId: string } | { readonly linkId: string };

export const assign = ({ id, txid }: Pick<Conversion, 'id' | 'txid'>) =>
  command({
    send: ({ choice, reason }: { readonly choice: Choice; readonly reason: string }) =>
      body(
        api.POST('/api/platform/conversions/{id}/assign', { params: { path: { id } }, body: { ...choice, reason } }),
      ),
    changes: [...CONVERSION_READS, ['links']],
    success: ['Conversion assigned', `Transaction ${txid}`],
    // What is wrong with a field is left to the form.
    failure: (error) =>
      error instanceof ApiError && Object.keys(error.fields).length > 0 ? null : ['Failed to assign', messageOf(error)],
  });
