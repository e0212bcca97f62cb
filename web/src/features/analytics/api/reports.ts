import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type EmailReport = components['schemas']['ListedReport'];
export type Schedule = Pick<EmailReport, 'every' | 'weekday' | 'day' | 'hour'>;

/** A view of a website, or a saved query. */
export type ReportContent = { readonly viewId: string; readonly websiteId: string } | { readonly queryId: string };

/** Of a query's parameters. */
export type ParameterValues = Readonly<Record<string, string>>;

export const reportsQuery = queryOptions({
  queryKey: ['email-reports'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/reports', { signal })),
});

const one = (id: string) => ({ path: { id } });

export const scheduleReport = (content: ReportContent, schedule: Schedule, parameters: ParameterValues) =>
  body(api.POST('/api/platform/reports', { body: { ...content, ...schedule, parameters } }));

interface Changes extends Partial<Schedule> {
  readonly parameters?: ParameterValues;
  readonly paused?: boolean;
}

export const changeReport = (id: string, changes: Changes) =>
  done(api.PATCH('/api/platform/reports/{id}', { params: one(id), body: changes }));

export const removeReport = (id: string) => done(api.DELETE('/api/platform/reports/{id}', { params: one(id) }));

export const restoreReport = (id: string) => done(api.POST('/api/platform/reports/{id}/restore', { params: one(id) }));

/** Emails the last whole period to oneself now. */
export const previewReport = (id: string) => done(api.POST('/api/platform/reports/{id}/preview', { params: one(id) }));

/** Pauses a report by the code from its email; returns the confirmation. */
export const stopReport = async (code: string): Promise<string> =>
  (await body(api.POST('/api/public/reports/unsubscribe', { body: { code } }))).message ?? '';
