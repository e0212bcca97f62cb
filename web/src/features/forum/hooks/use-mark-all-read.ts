import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { markAllRead } from '../api/threads';

export function useMarkAllRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: markAllRead,
    onSuccess: () => toast('All threads are marked as read'),
    onError: (error) => toastError('Failed to mark threads as read', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['forum'] }),
  });
}
