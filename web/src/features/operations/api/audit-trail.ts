import type { components } from '@/lib/api/schema';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';

export type TrailCheck = components['schemas']['AuditCheck'];

const PAGE = 50;

export interface TrailFilter {
  readonly action: string;
  readonly outcome: '' | 'done' | 'refused';
  /** Part of the name or email of who did it. */
  readonly actor: string;
  /** Id of the account or other thing that is affected. */
  readonly object: string;
  /** Days, in the browser's zone, both inclusive. */
  readonly from: string;
  readonly to: string;
}

export const EVERY_ENTRY: TrailFilter = { action: '', outcome: '', actor: '', object: '', from: '', to: '' };

export const trailQuery = ({ action, outcome, actor, object, from, to }: TrailFilter) =>
  cursorQuery({
    queryKey: ['audit-trail', action, outcome, actor, object, from, to],
    read: (at, signal) => {
      const query = {
        limit: PAGE,
        ...at,
        ...(action ? { action } : {}),
        ...(outcome ? { outcome } : {}),
        ...(actor ? { actor } : {}),
        ...(object ? { objectId: object } : {}),
        ...(from ? { since: startOf(from, 0) } : {}),
        ...(to ? { until: startOf(to, 1) } : {}),
      };
      return answer(api.GET('/api/admin/audit-trail', { params: { query }, signal }));
    },
    staleTime: 0,
  });

/** When the day begins, `later` days after it. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

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
