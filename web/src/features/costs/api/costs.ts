// What traffic cost, as it was entered.
import { answer, api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { cursorQuery } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';

export type Cost = components['schemas']['Cost'];

const PAGE = 50;

/** The last entered first. */
export const costsQuery = (websiteId: string) =>
  cursorQuery({
    queryKey: ['costs', websiteId] as const,
    read: (at, signal) =>
      answer(api.GET('/api/platform/costs', { params: { query: { websiteId, limit: PAGE, ...at } }, signal })),
  });

type Entry = Pick<
  Cost,
  'from' | 'to' | 'amount' | 'note' | 'source' | 'campaign' | 'term' | 'content' | 'link' | 'placement'
>;

export interface CostToSave extends Entry {
  /** Of the entry that changes; null: a new one. */
  readonly id: string | null;
}

const one = (id: string) => ({ path: { id } });
/** Reports show what is entered. */
const changes = [['costs'], ['analytics']];

export const saveCost = (websiteId: string) =>
  command({
    send: ({ id, ...entry }: CostToSave) =>
      body(
        id
          ? api.PATCH('/api/platform/costs/{id}', { params: one(id), body: entry })
          : api.POST('/api/platform/costs', { body: { websiteId, ...entry } }),
      ),
    changes,
    success: (_cost, { id }) => (id ? 'Cost changed' : 'Cost added'),
  });

export const removeCost = command({
  send: ({ id }: Cost) => done(api.DELETE('/api/platform/costs/{id}', { params: one(id) })),
  changes,
  failure: 'Failed to remove the cost',
});

export const restoreCost = command({
  send: ({ id }: Cost) => done(api.POST('/api/platform/costs/{id}/restore', { params: one(id) })),
  changes,
  success: 'Cost restored',
  failure: 'Failed to restore the cost',
});
