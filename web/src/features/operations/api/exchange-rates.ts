import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

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

export const recordRate = (rate: { base: string; quote: string; rate: string; on: string }) =>
  body(api.POST('/api/admin/exchange-rates', { body: rate }));

export const importRates = (csv: string, dryRun: boolean) =>
  body(api.POST('/api/admin/exchange-rates/import', { body: { csv, dryRun } }));
