import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/lib/api/errors';
import { toastError } from '@/stores/toasts';
import { see, seeAll } from '../api/notifications';

/** Marks one notification, or all of them, as seen. */
export function useSeen() {
  const client = useQueryClient();
  const changed = () => client.invalidateQueries({ queryKey: ['notifications'] });
  const one = useMutation({ mutationFn: see, onSettled: changed });
  const all = useMutation({
    mutationFn: seeAll,
    onError: (error) => toastError('Failed to mark notifications as read', messageOf(error)),
    onSettled: changed,
  });
  return { see: (id: string) => one.mutate(id), seeAll: () => all.mutate(), busy: all.isPending };
}
