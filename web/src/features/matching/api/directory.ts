import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type ProgramEntry = Schemas['ProgramEntry'];
export type ProgramInput = Schemas['ProgramGiven'];
export type Imported = Schemas['Imported'];

export interface ProgramFilter {
  readonly search: string;
  readonly show: 'active' | 'due' | 'retired';
}

export const programsQuery = ({ search, show }: ProgramFilter) =>
  infiniteQueryOptions({
    queryKey: ['programs', search, show],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = {
        limit: 50,
        ...(pageParam ? { cursor: pageParam } : {}),
        ...(search ? { search } : {}),
        ...(show === 'due' ? { due: true } : { state: show }),
      };
      return answer(api.GET('/api/admin/programs', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export const categoriesQuery = queryOptions({
  queryKey: ['program-categories'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/program-categories', { signal })),
});

export const saveProgram = (id: string | null, given: ProgramInput) =>
  done(
    id === null
      ? api.POST('/api/admin/programs', { body: given })
      : api.PUT('/api/admin/programs/{id}', { params: { path: { id } }, body: given }),
  );

export const reviewProgram = (id: string, reviewOn: string) =>
  done(api.POST('/api/admin/programs/{id}/review', { params: { path: { id } }, body: { reviewOn } }));

export const retireProgram = (id: string, retired: boolean) =>
  done(
    retired
      ? api.POST('/api/admin/programs/{id}/retire', { params: { path: { id } } })
      : api.POST('/api/admin/programs/{id}/restore', { params: { path: { id } } }),
  );

export const importPrograms = (csv: string, dryRun: boolean) =>
  body(api.POST('/api/admin/programs/import', { body: { csv, dryRun } }));
