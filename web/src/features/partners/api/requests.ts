import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { AdminPartnerRequest, PartnerRequest } from '@/lib/api/types';
import { adminPartnersQuery } from '@/lib/api/setup-queries';
import { partnersQuery } from '@/lib/api/shared-queries';
import { bodyOf, type NewPartner } from './partners';

/** The member's own requests, newest first. */
export const requestsQuery = queryOptions({
  queryKey: ['partner-requests'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/partner-requests', { signal })),
});

/** Requests that await a decision, oldest first. */
export const openRequestsQuery = queryOptions({
  queryKey: ['admin', 'partner-requests'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/partner-requests', { signal })),
});

export interface NewRequest {
  readonly name: string;
  readonly website: string;
  readonly note?: string;
  /** The private partner that is proposed. */
  readonly partnerId?: string;
}

export const requestPartner = command({
  send: (wanted: NewRequest) => body(api.POST('/api/platform/partner-requests', { body: { note: '', ...wanted } })),
  changes: [requestsQuery.queryKey],
  success: ({ partnerName }) =>
    partnerName === null
      ? ['Request sent', 'You’ll be notified of the decision.']
      : ['Already in the directory', `${partnerName} has this website. You can create links to it now.`],
  failure: 'Failed to send the request',
});

export const withdrawRequest = command({
  send: ({ id }: PartnerRequest) =>
    done(api.DELETE('/api/platform/partner-requests/{id}', { params: { path: { id } } })),
  changes: [requestsQuery.queryKey],
  success: 'Request withdrawn',
  failure: 'Failed to withdraw the request',
});

export const acceptRequest = ({ id, accountName }: AdminPartnerRequest) =>
  command({
    send: (partner: NewPartner) =>
      body(api.POST('/api/admin/partner-requests/{id}/accept', { params: { path: { id } }, body: bodyOf(partner) })),
    changes: [openRequestsQuery.queryKey, adminPartnersQuery.queryKey, partnersQuery.queryKey],
    success: ['Partner added', `${accountName} is notified.`],
    failure: 'Failed to add the partner',
  });

export const declineRequest = ({ id, accountName }: AdminPartnerRequest) =>
  command({
    send: (reason: string) =>
      done(api.POST('/api/admin/partner-requests/{id}/decline', { params: { path: { id } }, body: { reason } })),
    changes: [openRequestsQuery.queryKey],
    success: ['Request declined', `${accountName} is notified.`],
  });
