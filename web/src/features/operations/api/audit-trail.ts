import { infiniteQueryOptions } from '@tanstack/react-query';
import type { components } from '@/lib/api/schema';
import { answer, api, body } from '@/lib/api/client';

export type TrailCheck = components['schemas']['AuditCheck'];

const PAGE = 50;

const at = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

export interface TrailFilter {
  readonly action: string;
  readonly outcome: '' | 'done' | 'refused';
  readonly accountId: string;
}

export const trailQuery = ({ action, outcome, accountId }: TrailFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-trail', action, outcome, accountId],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = {
        ...at(pageParam),
        ...(action ? { action } : {}),
        ...(outcome ? { outcome } : {}),
        ...(accountId ? { accountId } : {}),
      };
      return answer(api.GET('/api/admin/audit-trail', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

/** Checks the chain in parts, from the last anchor or the first entry; `onPart` is called for each. */
export async function checkTrail(whole: boolean, onPart: (part: TrailCheck) => void): Promise<TrailCheck> {
  let after = whole ? 0 : null;
  for (;;) {
    const part = await body(
      api.GET('/api/admin/audit-trail/check', { params: { query: after === null ? {} : { after } } }),
    );
    onPart(part);
    if (part.firstBroken !== null || part.checkedTo >= part.rows || part.checkedTo === after) return part;
    after = part.checkedTo;
  }
}
