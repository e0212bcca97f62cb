import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type RetentionSetting = components['schemas']['RetentionSetting'];
export type RetentionForecast = components['schemas']['RetentionForecast'];

/** How long single events of a website are kept, and what `rawMonths` (else the setting) would delete. */
export const retentionQuery = (websiteId: string, rawMonths?: number) =>
  queryOptions({
    queryKey: ['retention', websiteId, rawMonths ?? 0] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/websites/{id}/retention', {
          params: { path: { id: websiteId }, query: rawMonths ? { rawMonths } : {} },
          signal,
        }),
      ),
    staleTime: 0,
  });

export const changeRetention = (websiteId: string) =>
  command({
    send: (rawMonths: number | null) =>
      body(
        api.PUT('/api/platform/websites/{id}/retention', { params: { path: { id: websiteId } }, body: { rawMonths } }),
      ),
    changes: [['retention', websiteId]],
    success: (_, rawMonths) => [
      'Retention saved',
      rawMonths === null ? 'Individual events are stored forever.' : 'Nothing is deleted in the next 24 hours.',
    ],
    failure: 'Failed to save the retention',
  });
