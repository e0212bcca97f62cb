import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { countOf } from '@/lib/format';
import type { LinksFilter } from '../lib/search';
import { allOf } from '../lib/selection';

type Schemas = components['schemas'];
export type LinkImportPlan = Schemas['LinkImportPlan'];
type LinksCsv = Pick<Schemas['ImportLinks'], 'websiteId' | 'csv' | 'updatesExisting'>;

/** The file of all links of the website that the filter holds. */
export function linksFile(websiteId: string, filter: LinksFilter): string {
  return `/api/platform/links.csv?${new URLSearchParams({ websiteId, ...allOf(filter).filter }).toString()}`;
}

/** What would become of each line. */
export const planImport = command({
  send: (file: LinksCsv) => body(api.POST('/api/platform/links/import/plan', { body: file })),
});

export const importLinks = command({
  send: (file: LinksCsv) => body(api.POST('/api/platform/links/import', { body: file })),
  changes: [['links']],
  success: ({ created, changed }) => [
    'Links imported',
    `${countOf(created, 'link')} created, ${countOf(changed, 'link')} changed`,
  ],
});
