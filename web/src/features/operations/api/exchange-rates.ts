import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { sendParts, summaryOf } from '../lib/exchange-rates';

type Schemas = components['schemas'];

/** Of all reads about rates. */
export const RATES_KEY = ['exchange-rates'] as const;

export const ratesQuery = queryOptions({
  queryKey: [...RATES_KEY, 'newest'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/exchange-rates', { signal })),
  staleTime: 0,
});

export const ratesStatusQuery = queryOptions({
  queryKey: [...RATES_KEY, 'status'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/exchange-rates/status', { signal })),
  refetchInterval: 30_000,
  staleTime: 0,
});

export const historyQuery = (base: string, quote: string) =>
  queryOptions({
    queryKey: [...RATES_KEY, 'history', base, quote],
    queryFn: ({ signal }) =>
      body(api.GET('/api/admin/exchange-rates/history', { params: { query: { base, quote } }, signal })),
    staleTime: 0,
  });

export type NewestRate = Schemas['ListedRate'];
export type RatesStatus = Schemas['RatesStatus'];
export type Imported = Schemas['ImportedRates'];

/** What is shown in one currency follows the rates too. */
const changes = [RATES_KEY, ['admin', 'analytics']];

export const recordRate = command({
  send: (rate: Schemas['RecordRate']) => body(api.POST('/api/admin/exchange-rates', { body: rate })),
  changes,
  success: ({ base, rate, quote }) => ['Exchange rate added', `1 ${base} = ${rate} ${quote}`],
});

interface RatesFile {
  readonly csv: string;
  /** Share of the file that is done; null at the end. */
  readonly onShare: (share: number | null) => void;
}

const sendRates = ({ csv, onShare }: RatesFile, dryRun: boolean) =>
  sendParts(
    csv,
    (part) => body(api.POST('/api/admin/exchange-rates/import', { body: { csv: part, dryRun } })),
    onShare,
  ).finally(() => onShare(null));

export const tryRates = command({ send: (file: RatesFile) => sendRates(file, true) });

/** Parts before a failed one are stored. */
export const importRates = command({
  send: (file: RatesFile) => sendRates(file, false),
  changes,
  success: (imported) => ['Exchange rates imported', summaryOf(imported)],
});
