// Commands about values of reports that could not be read.
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

/** What a report means; a field that is left out stays unread. */
export type Said = Partial<components['schemas']['CorrectReport']>;

export const correctReport = (id: string, reportId: string, said: Said) =>
  body(
    api.POST('/api/platform/conversions/{id}/reports/{reportId}/correct', {
      params: { path: { id, reportId } },
      body: said,
    }),
  );

/** With the words of the network that the report's partner has now. */
export const readAgain = (id: string) =>
  body(api.POST('/api/platform/conversions/{id}/read-again', { params: { path: { id } }, body: {} }));
