import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
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

const changes = [reportsQuery.queryKey];

interface NewSchedule {
  /** What a new report is about, or the id of the report that changes. */
  readonly of: ReportContent | string;
  readonly schedule: Schedule;
  readonly parameters?: ParameterValues;
}

/** The id of a new report, else null. */
export const saveSchedule = command({
  send: async ({ of, schedule, parameters }: NewSchedule) => {
    if (typeof of === 'string')
      return changeReport(of, { ...schedule, ...(parameters && { parameters }) }).then(() => null);
    return (
      await body(api.POST('/api/platform/reports', { body: { ...of, ...schedule, parameters: parameters ?? {} } }))
    ).id;
  },
  changes,
});

interface Changes extends Partial<Schedule> {
  readonly parameters?: ParameterValues;
  readonly paused?: boolean;
}

const changeReport = (id: string, edits: Changes) =>
  done(api.PATCH('/api/platform/reports/{id}', { params: one(id), body: edits }));

export const pauseReport = command({
  send: ({ id, paused }: EmailReport) => changeReport(id, { paused: paused === null }),
  changes,
  success: (_, report) => [report.paused ? 'Report resumed' : 'Report paused', reportName(report)],
  failure: 'Could not change the report',
});

export const removeReport = command({
  send: ({ id }: EmailReport) => done(api.DELETE('/api/platform/reports/{id}', { params: one(id) })),
  changes,
  failure: 'Could not delete the report',
});

export const restoreReport = command({
  send: ({ id }: EmailReport) => done(api.POST('/api/platform/reports/{id}/restore', { params: one(id) })),
  changes,
  success: (_, report) => ['Restored', reportName(report)],
  failure: 'Could not restore the report',
});

/** Emails the last whole period to oneself now. */
export const previewReport = (isScheduled: boolean) =>
  command({
    send: (id: string) => done(api.POST('/api/platform/reports/{id}/preview', { params: one(id) })),
    success: [
      'Preview sent',
      `It arrives in your inbox in a moment.${isScheduled ? ' The schedule stays as it is.' : ''}`,
    ],
    failure: 'Could not send the preview',
  });

export function reportName({ name, domain, queryId }: EmailReport): string {
  if (queryId) return name ? `${name} (SQL)` : 'Deleted query';
  return `${name ?? 'Deleted view'}${domain ? `, ${domain}` : ''}`;
}

/** Pauses a report by the code from its email; returns the confirmation. */
export const stopReport = async (code: string): Promise<string> =>
  (await body(api.POST('/api/public/reports/unsubscribe', { body: { code } }))).message ?? '';
