import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import { partnersQuery } from '@/lib/shared-queries';
import { toast, toastError } from '@/stores/toasts';
import { requestsQuery } from '../api/requests';
import { changesOf, type PartnerChange } from './use-partner-commands';

export interface NewRequest {
  readonly name: string;
  readonly website: string;
  readonly note?: string;
  /** The private partner that is proposed. */
  readonly partnerId?: string;
}

/** What members do with partners of their own, and with their requests. */
export function usePrivatePartners() {
  const client = useQueryClient();
  const refreshed = (queryKey: readonly string[]) => () => client.invalidateQueries({ queryKey });
  const update = useMutation({
    mutationFn: ({ partner, changes }: PartnerChange) =>
      body(
        api.PATCH('/api/platform/partners/{id}', { params: { path: { id: partner.id } }, body: changesOf(changes) }),
      ),
    onSuccess: () => toast('Partner updated'),
    onError: (error) => toastError('Failed to update partner', messageOf(error)),
    onSettled: refreshed(partnersQuery.queryKey),
  });
  const remove = useMutation({
    mutationFn: ({ id }: { readonly id: string }) =>
      done(api.DELETE('/api/platform/partners/{id}', { params: { path: { id } } })),
    onSuccess: () => toast('Partner removed'),
    onError: (error) => toastError('Failed to remove partner', messageOf(error)),
    onSettled: refreshed(partnersQuery.queryKey),
  });
  const request = useMutation({
    mutationFn: (wanted: NewRequest) =>
      body(api.POST('/api/platform/partner-requests', { body: { note: '', ...wanted } })),
    onSuccess: ({ partnerName }) =>
      partnerName === null
        ? toast('Request sent', 'You’ll be notified of the decision.')
        : toast('Already in the directory', `${partnerName} has this website. You can create links to it now.`),
    onError: (error) => toastError('Failed to send the request', messageOf(error)),
    onSettled: refreshed(requestsQuery.queryKey),
  });
  const withdraw = useMutation({
    mutationFn: ({ id }: { readonly id: string }) =>
      done(api.DELETE('/api/platform/partner-requests/{id}', { params: { path: { id } } })),
    onSuccess: () => toast('Request withdrawn'),
    onError: (error) => toastError('Failed to withdraw the request', messageOf(error)),
    onSettled: refreshed(requestsQuery.queryKey),
  });
  return { update, remove, request, withdraw };
}
