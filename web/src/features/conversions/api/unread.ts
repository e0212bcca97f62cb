// Commands about values of reports that could not be read.
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import type { Conversion } from '@/lib/api/types';
import { CONVERSION_READS } from './conversions';

/** What a report means; a field that is left out stays unread. */
export type Said = Partial<components['schemas']['CorrectReport']>;

export const correctReport = ({ id, txid }: Pick<Conversion, 'id' | 'txid'>) =>
  command({
    send: ({ reportId, said }: { readonly reportId: string; readonly said: Said }) =>
      body(
        api.POST('/api/platform/conversions/{id}/reports/{reportId}/correct', {
          params: { path: { id, reportId } },
          body: said,
        }),
      ),
    changes: CONVERSION_READS,
    success: ['Report corrected', `Transaction ${txid}`],
    failure: 'Failed to correct the report',
  });

/** With the words of the network that the report's partner has now. */
export const readAgain = ({ id, txid }: Pick<Conversion, 'id' | 'txid'>) =>
  command({
    send: () => body(api.POST('/api/platform/conversions/{id}/read-again', { params: { path: { id } }, body: {} })),
    changes: CONVERSION_READS,
    success: ['Values read again', `Transaction ${txid}`],
    failure: 'Failed to read the values again',
  });
