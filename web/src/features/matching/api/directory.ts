import { queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { inputOf, type ProgramDraft } from '../lib/program-draft';

type Schemas = components['schemas'];
export type ProgramEntry = Schemas['ProgramEntry'];
export type ProgramInput = Schemas['ProgramGiven'];
export type Imported = Schemas['Imported'];

const KEY = 'programs';
const PROGRAMS = [[KEY]];

export interface ProgramFilter {
  readonly search: string;
  readonly show: 'active' | 'due' | 'retired';
}

export const programsQuery = ({ search, show }: ProgramFilter) =>
  cursorQuery({
    queryKey: [KEY, search, show],
    read: (at, signal) => {
      const query = {
        limit: 50,
        ...at,
        ...(search ? { search } : {}),
        ...(show === 'due' ? { due: true } : { state: show }),
      };
      return answer(api.GET('/api/admin/programs', { params: { query }, signal }));
    },
    staleTime: 0,
  });

export const categoriesQuery = queryOptions({
  queryKey: ['program-categories'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/program-categories', { signal })),
});

/** Adds a program where `id` is null. */
export const saveProgram = (id: string | null) =>
  command({
    send: async (draft: ProgramDraft) => {
      const program = inputOf(draft);
      await done(
        id === null
          ? api.POST('/api/admin/programs', { body: program })
          : api.PUT('/api/admin/programs/{id}', { params: { path: { id } }, body: program }),
      );
    },
    changes: PROGRAMS,
    success: (_, { companyName }) => [id === null ? 'Program added' : 'Program changed', companyName],
  });

/** With the day of the next review. */
export const reviewProgram = ({ id, companyName }: ProgramEntry) =>
  command({
    send: (reviewOn: string) =>
      done(api.POST('/api/admin/programs/{id}/review', { params: { path: { id } }, body: { reviewOn } })),
    changes: PROGRAMS,
    success: ['Program reviewed', companyName],
  });

interface Retirement {
  readonly program: ProgramEntry;
  readonly retired: boolean;
}

export const retireProgram = command({
  send: ({ program: { id }, retired }: Retirement) =>
    done(
      retired
        ? api.POST('/api/admin/programs/{id}/retire', { params: { path: { id } } })
        : api.POST('/api/admin/programs/{id}/restore', { params: { path: { id } } }),
    ),
  changes: PROGRAMS,
  success: (_, { program, retired }) => [retired ? 'Program retired' : 'Program restored', program.companyName],
  failure: 'Error',
});

const sendFile = (csv: string, dryRun: boolean) =>
  body(api.POST('/api/admin/programs/import', { body: { csv, dryRun } }));

/** What an import would do. */
export const checkPrograms = command({ send: (csv: string) => sendFile(csv, true) });

/** With a fault, nothing is imported. */
export const importPrograms = command({
  send: (csv: string) => sendFile(csv, false),
  changes: PROGRAMS,
  success: ({ applied, added, changed }) =>
    applied ? ['Programs imported', `${added} added, ${changed} changed`] : null,
});
