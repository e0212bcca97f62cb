import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { components } from '@/lib/api/schema';
import { toast, toastError } from '@/stores/toasts';

type Schemas = components['schemas'];
export type InquiryStatus = Schemas['Inquiry']['status'];
export type Inquiry = Schemas['Inquiry'];
export type InquiryInFull = Schemas['InquiryInFull'];
export type InquiryStep = Schemas['InquiryStep'];
export type Subscriber = Schemas['Subscriber'];
export type Signup = Schemas['EarlyAccessSignup'];

export const STATUSES: Readonly<Record<InquiryStatus, string>> = {
  new: 'New',
  in_progress: 'In progress',
  answered: 'Replied',
  closed: 'Closed',
  spam: 'Spam',
};
export const isStatus = (text: string | undefined): text is InquiryStatus =>
  text !== undefined && Object.hasOwn(STATUSES, text);
export const isState = (text: string | undefined): text is Subscriber['state'] =>
  text === 'pending' || text === 'confirmed' || text === 'ended';

const LEADS = 'leads';
const REFETCH_MS = 5_000;
const at = (cursor: string) => ({ limit: 50, ...(cursor ? { cursor } : {}) });

export const totalsQuery = queryOptions({
  queryKey: [LEADS, 'totals'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/leads', { signal })),
  staleTime: 0,
});

export const inquiriesQuery = (status: InquiryStatus | undefined, search: string) =>
  infiniteQueryOptions({
    queryKey: [LEADS, 'inquiries', status, search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/admin/inquiries', {
          params: { query: { ...at(pageParam), ...(status ? { status } : {}), ...(search ? { search } : {}) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export const inquiryQuery = (id: string) =>
  queryOptions({
    queryKey: [LEADS, 'inquiry', id],
    queryFn: ({ signal }) => body(api.GET('/api/admin/inquiries/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
    // Until the mail server has accepted the reply.
    refetchInterval: ({ state }) => (state.data?.steps.some((step) => step.mail === 'waiting') ? REFETCH_MS : false),
  });

/** Accounts that an inquiry can be assigned to: admins. */
export const adminsQuery = queryOptions({
  queryKey: ['admins'],
  queryFn: async ({ signal }) => {
    const accounts = await body(
      api.GET('/api/admin/accounts', { params: { query: { role: 'admin', limit: 100 } }, signal }),
    );
    return accounts.filter((account) => !account.disabledAt && !account.erasedAt);
  },
  staleTime: 60_000,
});

export const subscribersQuery = (state: Subscriber['state'] | undefined, email: string) =>
  infiniteQueryOptions({
    queryKey: [LEADS, 'subscribers', state, email],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/admin/subscribers', {
          params: { query: { ...at(pageParam), ...(state ? { state } : {}), ...(email ? { email } : {}) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export const signupsQuery = infiniteQueryOptions({
  queryKey: [LEADS, 'early-access'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    answer(api.GET('/api/admin/early-access', { params: { query: at(pageParam) }, signal })),
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

/** Runs one command, shows its result and invalidates all leads queries. */
export function useLead<Given = void>(run: (given: Given) => Promise<unknown>, said: string, failed: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => toast(said),
    onError: (error) => toastError(failed, messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: [LEADS] }),
  });
}
