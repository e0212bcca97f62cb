import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];

const changes = [['links']];

/** What the variants of a link earned, and which one is better. */
export const linkSplitQuery = (id: string) =>
  queryOptions({
    queryKey: ['links', 'one', id, 'split'] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/links/{id}/split', { params: { path: { id } }, signal })),
  });

/** Ends the test of a split: the variant gets all visitors; null: the test goes on. */
export const chooseWinner = (id: string) =>
  command({
    send: (variant: number | null) =>
      body(api.PUT('/api/platform/links/{id}/split/winner', { params: { path: { id } }, body: { variant } })),
    changes,
    success: (_link, variant) => (variant === null ? 'The test goes on' : 'Test ended'),
    failure: 'Failed to change the test',
  });

/** Whether the weights of a split follow its results, and within which bounds. */
export const setShifting = (id: string) =>
  command({
    send: (shifting: Schemas['SetShifting']) =>
      body(api.PUT('/api/platform/links/{id}/split/shifting', { params: { path: { id } }, body: shifting })),
    changes,
    success: ({ isOn }) => (isOn ? 'Weights follow results' : 'Shifting turned off'),
  });

/** Restores the weights before a shift, and turns the shifting off or leaves it on. */
export const undoShift = (id: string) =>
  command({
    send: ({ version, isOn }: { readonly version: number; readonly isOn: boolean }) =>
      body(
        api.POST('/api/platform/links/{id}/split/shifts/{version}/undo', {
          params: { path: { id, version } },
          body: { isOn },
        }),
      ),
    changes,
    success: ({ isOn }) => ['Weights restored', isOn ? 'They go on to follow results.' : 'Shifting is off.'],
    failure: 'Failed to restore the weights',
  });
