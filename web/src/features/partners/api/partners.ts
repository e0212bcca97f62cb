// Commands about partners: those of admins about the directory, and those of members about partners of their own.
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { AdminPartner, Partner, Terms } from '@/lib/api/types';
import { adminPartnersQuery } from '@/lib/api/setup-queries';
import { partnersQuery } from '@/lib/api/shared-queries';

export interface NewPartner {
  readonly name: string;
  readonly baseUrl: string;
  readonly commission: number;
  /** Slug of its network. */
  readonly postbackPreset?: string;
  readonly clickIdParameter?: string;
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
export function bodyOf({ name, baseUrl, commission, postbackPreset, clickIdParameter }: NewPartner) {
  return {
    name,
    baseUrl,
    commission,
    slug: slugOf(name),
    description: `${name} affiliate program`,
    isActive: 1,
    cookieDays: 30,
    ...(postbackPreset ? { postbackPreset } : {}),
    ...(clickIdParameter ? { clickIdParameter } : {}),
  };
}

/** Changes as the API takes them. */
function changesOf({ terms, ...rest }: PartnerChanges) {
  return { ...rest, ...(terms ? { terms: { ...terms, tiers: terms.tiers.map((tier) => ({ ...tier })) } } : {}) };
}

/** The rule of the specification: lower case, runs of white space become hyphens. */
export const slugOf = (name: string): string => name.toLowerCase().replace(/\s+/g, '-');

const changes = [adminPartnersQuery.queryKey, partnersQuery.queryKey];

export const createPartner = command({
  send: (partner: NewPartner) => body(api.POST('/api/admin/partners', { body: bodyOf(partner) })),
  changes,
  success: 'Partner created successfully',
  failure: 'Failed to create partner',
});

export const updatePartner = command({
  send: ({ partner, changes: edits }: PartnerChange) =>
    body(api.PATCH('/api/admin/partners/{id}', { params: { path: { id: partner.id } }, body: changesOf(edits) })),
  changes,
  success: 'Partner updated successfully',
  failure: 'Failed to update partner',
});

export const deletePartner = command({
  send: ({ id }: AdminPartner) => done(api.DELETE('/api/admin/partners/{id}', { params: { path: { id } } })),
  changes,
  success: 'Partner deleted',
  failure: 'Failed to delete partner',
});

export const updateOwnPartner = command({
  send: ({ partner, changes: edits }: PartnerChange) =>
    body(api.PATCH('/api/platform/partners/{id}', { params: { path: { id: partner.id } }, body: changesOf(edits) })),
  changes: [partnersQuery.queryKey],
  success: 'Partner updated',
  failure: 'Failed to update partner',
});

export const removeOwnPartner = command({
  send: ({ id }: Partner) => done(api.DELETE('/api/platform/partners/{id}', { params: { path: { id } } })),
  changes: [partnersQuery.queryKey],
  success: 'Partner removed',
  failure: 'Failed to remove partner',
});
