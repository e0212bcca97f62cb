// Commands of a seller. A page that only shows a listing does not load them.
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { ListingFields } from '../lib/types';
import { MARKET, pathOf } from './request';

const NOTHING = {
  description: '',
  niche: null,
  askingPrice: null,
  monthlyRevenue: null,
  monthlyProfit: null,
  monthlyTraffic: null,
  yearsEstablished: null,
  websiteId: null,
} as const;

/** A draft that only the seller sees. */
export const startListing = command({
  send: (start: Pick<ListingFields, 'title' | 'websiteUrl'>) =>
    body(api.POST('/api/marketplace/listings', { body: { ...NOTHING, ...start } })),
  changes: MARKET,
});

export const writeListing = (id: string, fields: ListingFields, edition: number) =>
  body(api.PATCH('/api/marketplace/listings/{id}', { ...pathOf(id), body: { ...fields, edition } }));

/** The image itself is the body; its description has no place for that in the types. */
export const uploadImage = (id: string, file: File) =>
  body(
    api.POST('/api/marketplace/listings/{id}/images', {
      ...pathOf(id),
      headers: { 'Content-Type': file.type },
      body: file as never,
      bodySerializer: () => file,
    }),
  );

/** The order of images; those that are left out are removed. */
export const orderImages = (id: string, images: readonly string[]) =>
  body(api.PUT('/api/marketplace/listings/{id}/images', { ...pathOf(id), body: { images: [...images] } }));

/** Writes pending changes. True: everything is saved. */
type Flush = () => Promise<boolean>;

async function afterSaving<T>(flush: Flush, send: () => Promise<T>): Promise<T> {
  if (!(await flush())) throw new Error('Your changes could not be saved yet.');
  return send();
}

/** Of a listing that others see: it changes on request only. */
export const saveChanges = command({
  send: (flush: Flush) => flush(),
  changes: MARKET,
  success: (isSaved) => (isSaved ? 'Changes saved' : null),
});

export const submitListing = (id: string) =>
  command({
    send: (flush: Flush) =>
      afterSaving(flush, () => body(api.POST('/api/marketplace/listings/{id}/submit', pathOf(id)))),
    changes: MARKET,
    success: ['Submitted for review', 'It goes live once an admin approves it.'],
  });

export const verifyListing = (id: string) =>
  command({
    send: (flush: Flush) =>
      afterSaving(flush, () => body(api.POST('/api/marketplace/listings/{id}/verify', pathOf(id)))),
    changes: MARKET,
    success: ['Verification requested', 'We calculate the numbers from the website’s tracking data.'],
  });

export const withdrawListing = command({
  send: (id: string) => body(api.POST('/api/marketplace/listings/{id}/withdraw', pathOf(id))),
  changes: MARKET,
  success: 'Listing withdrawn',
});

/** Gives the link for one member, who can then review this listing. */
export const inviteReviewer = command({
  send: (id: string) => body(api.POST('/api/marketplace/listings/{id}/reviewer', pathOf(id))),
  changes: MARKET,
});
