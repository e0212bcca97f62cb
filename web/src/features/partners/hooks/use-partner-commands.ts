import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { AdminPartner, Terms } from '@/lib/api/types';
import { adminPartnersQuery } from '@/lib/setup-queries';
import { partnersQuery } from '@/lib/shared-queries';
import { toast, toastError } from '@/stores/toasts';

export interface NewPartner {
  readonly name: string;
  readonly baseUrl: string;
  readonly commission: number;
  /** Slug of its network. */
  readonly postbackPreset?: string;
}

export interface PartnerChanges {
  readonly name?: string;
  readonly baseUrl?: string;
  readonly description?: string;
  readonly cookieDays?: number;
  readonly postbackPreset?: string;
  /** Empty: that of its network. */
  readonly clickIdParameter?: string;
  readonly terms?: Omit<Terms, 'text'>;
  /** Start of the new terms; default: now. */
  readonly effectiveFrom?: string;
  readonly isActive?: boolean;
}

export interface PartnerChange {
  readonly partner: { readonly id: string };
  readonly changes: PartnerChanges;
}

/** A new partner as the API takes it. */
export function bodyOf({ name, baseUrl, commission, postbackPreset }: NewPartner) {
  return {
    name,
    baseUrl,
    commission,
    slug: slugOf(name),
    description: `${name} affiliate program`,
    isActive: 1,
    cookieDays: 30,
    ...(postbackPreset ? { postbackPreset } : {}),
  };
}

/** Changes as the API takes them. */
export function changesOf({ terms, ...rest }: PartnerChanges) {
  return { ...rest, ...(terms ? { terms: { ...terms, tiers: terms.tiers.map((tier) => ({ ...tier })) } } : {}) };
}

/** The rule of the specification: lower case, runs of white space become hyphens. */
export const slugOf = (name: string): string => name.toLowerCase().replace(/\s+/g, '-');

export function usePartnerCommands() {
  const client = useQueryClient();
  const onSettled = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: adminPartnersQuery.queryKey }),
      client.invalidateQueries({ queryKey: partnersQuery.queryKey }),
    ]);
  const create = useMutation({
    mutationFn: (partner: NewPartner) => body(api.POST('/api/admin/partners', { body: bodyOf(partner) })),
    onSuccess: () => toast('Partner created successfully'),
    onError: (error) => toastError('Failed to create partner', messageOf(error)),
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ partner, changes }: PartnerChange) =>
      body(api.PATCH('/api/admin/partners/{id}', { params: { path: { id: partner.id } }, body: changesOf(changes) })),
    onSuccess: () => toast('Partner updated successfully'),
    onError: (error) => toastError('Failed to update partner', messageOf(error)),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (partner: AdminPartner) =>
      done(api.DELETE('/api/admin/partners/{id}', { params: { path: { id: partner.id } } })),
    onSuccess: () => toast('Partner deleted'),
    onError: (error) => toastError('Failed to delete partner', messageOf(error)),
    onSettled,
  });
  return { create, update, remove };
}
