// Ad platforms that get conversions, and what was sent to them.
import type { ConversionDelivery, Destination } from '@/features/destinations/api/destinations';

export const destination = (over: Partial<Destination> = {}): Destination => ({
  id: 'ad1',
  websiteId: 'w1',
  platform: 'google_ads',
  mapping: { sale: 'Affiliate sale', lead: '', value: 'commission' },
  isAutomatic: false,
  isRefused: false,
  addedAt: '2026-11-01T10:00:00Z',
  problem: '',
  ...over,
});

export const delivery = (over: Partial<ConversionDelivery> = {}): ConversionDelivery => ({
  id: 'dl1',
  conversionId: 'c1',
  kind: 'conversion',
  state: 'in_file',
  name: 'Affiliate sale',
  value: { amount: 1250, currency: 'USD' },
  occurredAt: '2026-11-19T10:00:00Z',
  decidedAt: '2026-11-20T09:30:00Z',
  preparedAt: '2026-11-20T09:31:00Z',
  attempts: 0,
  attemptedAt: null,
  nextAttemptAt: null,
  status: null,
  reason: '',
  answer: '',
  ...over,
});
