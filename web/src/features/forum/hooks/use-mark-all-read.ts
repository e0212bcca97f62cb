import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { markAllRead } from './queries';

export function useMarkAllRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: markAllRead,
    onSuccess: () => toast('All threads are marked as read'),
    onError: (error) => toastError('Failed to mark the threads', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['forum'] }),
  });
}
