// How a destination and its deliveries stand, in words.
import type { Tone } from '@/components/ui/badge';
import { formatDateTime, formatIn } from '@/lib/dates';
import type { ConversionDelivery, DeliveryKind, DeliveryState } from '../api/destinations';

interface Look {
  readonly label: string;
  readonly tone: Tone;
}

export const DELIVERY_STATES: Readonly<Record<DeliveryState, Look>> = {
  new: { label: 'Queued', tone: 'neutral' },
  ready: { label: 'Sending', tone: 'brand' },
  in_file: { label: 'In file', tone: 'brand' },
  sent: { label: 'Sent', tone: 'good' },
  skipped: { label: 'Not sent', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
};

export const DELIVERY_KINDS: Readonly<Record<DeliveryKind, string>> = {
  conversion: 'Conversion',
  restatement: 'New amount',
  retraction: 'Retraction',
};

export const destinationState = ({ isRefused }: { readonly isRefused: boolean }): Look =>
  isRefused ? { label: 'Credentials rejected', tone: 'bad' } : { label: 'Active', tone: 'good' };

type Facts = Pick<ConversionDelivery, 'state' | 'answer' | 'attempts' | 'attemptedAt' | 'nextAttemptAt' | 'preparedAt'>;

/** What changes within seconds: not what waits for its next attempt, nor for credentials that the platform accepts. */
export const isOnItsWay = ({ state, attempts }: Pick<Facts, 'state' | 'attempts'>, isRefused: boolean): boolean =>
  (state === 'new' || state === 'ready') && attempts === 0 && !isRefused;

/** What came of a delivery, line by line. `isRefused`: the platform rejects the credentials. */
export function deliveryDetails(of: Facts, isRefused: boolean, timezone: string): readonly string[] {
  const lines = [outcomeOf(of, isRefused, timezone), of.answer];
  return lines.filter((line) => line !== '');
}

function outcomeOf(
  { state, attempts, attemptedAt, nextAttemptAt, preparedAt }: Facts,
  isRefused: boolean,
  timezone: string,
): string {
  switch (state) {
    case 'sent':
      return attemptedAt ? formatDateTime(attemptedAt, timezone) : '';
    case 'in_file':
      return preparedAt ? `File of ${formatIn(preparedAt, timezone, DAY)}` : '';
    case 'failed':
      return attempts > 1 ? `After ${attempts} attempts` : '';
    case 'new':
    case 'ready':
      if (isRefused) return 'Awaiting new credentials';
      return attempts > 0 && nextAttemptAt ? `Attempt ${attempts + 1}: ${formatDateTime(nextAttemptAt, timezone)}` : '';
    case 'skipped':
      return '';
  }
}

const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const;
