// What may be done to saved queries, each with its message; a deletion can be undone.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError, toastWith } from '@/stores/toasts';
import {
  changeQuery,
  deleteQuery,
  pinChart,
  PINS,
  restoreQuery,
  restoreVersion,
  SAVED,
  type NewPin,
  type SavedQuery,
} from '../api/queries';

const UNDO_MS = 10_000;

export function useSavedQueries() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: SAVED });
  const failed = (what: string) => (error: unknown) => toastError(what, messageOf(error));
  const saveText = useMutation({
    mutationFn: ({ id, sql }: Pick<SavedQuery, 'id' | 'sql'>) => changeQuery(id, { sql }),
    onSuccess: ({ title, version }) => toast(`Version ${version} saved`, title),
    onError: failed('Could not save the query'),
    onSettled: refresh,
  });
  const share = useMutation({
    mutationFn: ({ id, isShared }: Pick<SavedQuery, 'id' | 'isShared'>) => changeQuery(id, { isShared: !isShared }),
    onSuccess: ({ title, isShared }) => toast(isShared ? 'Shared with all analysts' : 'No longer shared', title),
    onError: failed('Could not change the query'),
    onSettled: refresh,
  });
  const goBack = useMutation({
    mutationFn: ({ id, number }: { readonly id: string; readonly number: number }) => restoreVersion(id, number),
    onSuccess: ({ version }, { number }) => toast(`Version ${number} restored`, `It is version ${version} now.`),
    onError: failed('Could not restore the version'),
    onSettled: refresh,
  });
  const restore = useMutation({
    mutationFn: (id: string) => restoreQuery(id),
    onSuccess: ({ title }) => toast('Query restored', title),
    onError: failed('Could not restore the query'),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: ({ id }: Pick<SavedQuery, 'id' | 'title'>) => deleteQuery(id),
    onSuccess: (_, { id, title }) =>
      toastWith('Query deleted', title, { label: 'Undo', run: () => restore.mutate(id) }, UNDO_MS),
    onError: failed('Could not delete the query'),
    onSettled: refresh,
  });
  const pin = useMutation({
    mutationFn: (chart: NewPin) => pinChart(chart),
    onSuccess: () => toast('Pinned to your dashboard'),
    onError: failed('Could not pin the chart'),
    onSettled: () => client.invalidateQueries({ queryKey: PINS }),
  });
  return { saveText, share, goBack, remove, pin };
}
