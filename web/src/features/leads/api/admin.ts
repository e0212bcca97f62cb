import { queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

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

export const totalsQuery = queryOptions({
  queryKey: [LEADS, 'totals'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/leads', { signal })),
  staleTime: 0,
});

export const inquiriesQuery = (status: InquiryStatus | undefined, search: string) =>
  cursorQuery({
    queryKey: [LEADS, 'inquiries', status, search],
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/inquiries', {
          params: { query: { limit: 50, ...at, ...(status ? { status } : {}), ...(search ? { search } : {}) } },
          signal,
        }),
      ),
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
  cursorQuery({
    queryKey: [LEADS, 'subscribers', state, email],
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/subscribers', {
          params: { query: { limit: 50, ...at, ...(state ? { state } : {}), ...(email ? { email } : {}) } },
          signal,
        }),
      ),
    staleTime: 0,
  });

export const signupsQuery = cursorQuery({
  queryKey: [LEADS, 'early-access'],
  read: (at, signal) => answer(api.GET('/api/admin/early-access', { params: { query: { limit: 50, ...at } }, signal })),
  staleTime: 0,
});

const CHANGES = [[LEADS]];
const of = (id: string) => ({ params: { path: { id } } });

export const moveInquiry = (id: string) =>
  command({
    send: (status: InquiryStatus) =>
      body(api.POST('/api/admin/inquiries/{id}/status', { ...of(id), body: { status } })),
    changes: CHANGES,
    success: 'Status changed',
    failure: 'Failed to change the status',
  });

export const assignInquiry = (id: string) =>
  command({
    send: (accountId: string | null) =>
      body(api.POST('/api/admin/inquiries/{id}/assign', { ...of(id), body: { accountId } })),
    changes: CHANGES,
    success: 'Assignment changed',
    failure: 'Failed to assign',
  });

export const answerInquiry = (id: string) =>
  command({
    send: (text: string) => body(api.POST('/api/admin/inquiries/{id}/answer', { ...of(id), body: { text } })),
    changes: CHANGES,
    success: 'Reply sent',
    failure: 'Failed to send the reply',
  });

export const noteOnInquiry = (id: string) =>
  command({
    send: (text: string) => body(api.POST('/api/admin/inquiries/{id}/notes', { ...of(id), body: { text } })),
    changes: CHANGES,
    success: 'Note added',
    failure: 'Failed to add the note',
  });

export const eraseInquiry = command({
  send: (id: string) => done(api.DELETE('/api/admin/inquiries/{id}', of(id))),
  changes: CHANGES,
  success: 'Inquiry erased',
  failure: 'Failed to erase the inquiry',
});

export const endSubscription = command({
  send: (id: string) => done(api.DELETE('/api/admin/subscribers/{id}', of(id))),
  changes: CHANGES,
  success: 'Address unsubscribed',
  failure: 'Failed to unsubscribe',
});

export const promoteSignup = command({
  send: (id: string) => body(api.POST('/api/admin/early-access/{id}/promote', of(id))),
  changes: CHANGES,
  success: 'Place assigned',
  failure: 'Failed to assign the place',
});

export const inviteSignup = command({
  send: (id: string) => body(api.POST('/api/admin/early-access/{id}/invite', of(id))),
  changes: CHANGES,
  success: 'Invite sent',
  failure: 'Failed to invite',
});

export const releasePlace = command({
  send: (id: string) => done(api.DELETE('/api/admin/early-access/{id}', of(id))),
  changes: CHANGES,
  success: 'Place released',
  failure: 'Failed to release the place',
});
