// Decisions that are final after ten seconds, and can be undone before.
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import type { components } from '@/lib/api/schema';
import type { Money, ScheduledDecision, Website } from '@/lib/api/types';
import { daysOfState, type Filters } from '../lib/search';
import { CONVERSION_READS } from './conversions';

export const MAX_BATCH_SIZE = 500;

export interface Decision {
  readonly kind: 'approve' | 'reject';
  readonly reason: string;
  /** Also those without a click, which earn nothing. */
  readonly unattributed: boolean;
}

/** The pending ones of a website that have every value that is given. */
export type Matching = components['schemas']['RejectFilter'];
/** Named one by one, or all pending ones of a filter. */
export type Which = { readonly ids: readonly string[] } | { readonly matching: Matching };

/** `until`: those that were recorded later are not meant. */
export function matchingOf(website: Pick<Website, 'id' | 'timezone'>, filters: Filters, until?: string): Matching {
  const { from, to } = daysOfState(filters, website.timezone);
  const { link, country, device, source, coupon, network, importId, ...subs } = filters.texts;
  const { search, partner, keyKind, attributed, kind, reportedBy } = filters;
  return {
    websiteId: website.id,
    ...(search ? { search } : {}),
    ...(partner ? { partnerId: partner } : {}),
    ...(keyKind ? { keyKind } : {}),
    ...(attributed ? { attributed: attributed === 'yes' } : {}),
    ...(kind ? { kind } : {}),
    ...(reportedBy ? { reportedBy } : {}),
    ...(link ? { linkId: link } : {}),
    ...(country ? { country } : {}),
    ...(device ? { device } : {}),
    ...(source ? { source } : {}),
    ...(coupon ? { coupon } : {}),
    ...(network ? { network } : {}),
    ...(importId ? { importId } : {}),
    ...(Object.keys(subs).length > 0 ? { subs } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(until ? { until } : {}),
  };
}

export interface Scheduled {
  readonly ids: readonly string[];
  readonly count: number;
  readonly commission: Money | null;
  /** When the first of them is final. */
  readonly dueAt: string | null;
  readonly refused: ScheduledDecision['refused'];
  /** Why it stopped early; what was scheduled before stands. */
  readonly error: unknown;
}

/** In batches, until all are scheduled or one fails. */
async function schedule(websiteId: string, decision: Decision, which: Which): Promise<Scheduled> {
  let made: Scheduled = { ids: [], count: 0, commission: null, dueAt: null, refused: [], error: null };
  let after: string | null = null;
  try {
    for (let start = 0; ; start += MAX_BATCH_SIZE) {
      const asked: { ids: string[] } | { filter: Matching } =
        'ids' in which
          ? { ids: which.ids.slice(start, start + MAX_BATCH_SIZE) }
          : { filter: { ...which.matching, ...(after ? { after } : {}) } };
      const part = await send(websiteId, decision, asked);
      made = add(made, part);
      after = part.last;
      if ('ids' in which ? start + MAX_BATCH_SIZE >= which.ids.length : !part.more || !after) return made;
    }
  } catch (error) {
    if (made.count === 0 && made.refused.length === 0) throw error;
    return { ...made, error };
  }
}

/** Decides now, final in ten seconds. */
export const scheduleDecision = (websiteId: string) =>
  command({
    send: ({ decision, which }: { readonly decision: Decision; readonly which: Which }) =>
      schedule(websiteId, decision, which),
    changes: CONVERSION_READS,
    failure: (error, { decision }) => [`Failed to ${decision.kind}`, messageOf(error)],
  });

/** Undoes decisions that are not final. */
export const undoDecisions = command({
  send: async (ids: readonly string[]) => {
    for (const id of ids)
      await done(api.POST('/api/platform/conversions/decisions/{id}/undo', { params: { path: { id } }, body: {} }));
  },
  changes: CONVERSION_READS,
  success: ['Undone', 'Nothing was approved or rejected.'],
  failure: 'Could not undo everything',
});

function send(
  websiteId: string,
  { kind, reason, unattributed }: Decision,
  which: { ids: string[] } | { filter: Matching },
): Promise<ScheduledDecision> {
  return body(
    api.POST('/api/platform/conversions/decisions', {
      body: {
        websiteId,
        decision: kind,
        ...which,
        ...(kind === 'reject' ? { reason } : {}),
        ...(unattributed ? { unattributed } : {}),
      },
    }),
  );
}

function add(made: Scheduled, part: ScheduledDecision): Scheduled {
  return {
    ids: part.id ? [...made.ids, part.id] : made.ids,
    count: made.count + part.count,
    commission: made.commission
      ? { ...made.commission, amount: made.commission.amount + part.commission.amount }
      : part.commission,
    dueAt: made.dueAt ?? part.dueAt,
    refused: [...made.refused, ...part.refused],
    error: null,
  };
}
