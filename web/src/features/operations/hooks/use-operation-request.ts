import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { ask, type Action, type Projection } from '../api/operations';
import { LABELS } from '../lib/format';

export interface OperationInput {
  readonly name: string;
  readonly action: Action;
  readonly reason: string;
  readonly force?: boolean;
}

/** Requests an operation and shows its result once the projectors have finished it. */
export function useOperationRequest(projections: readonly Projection[] | undefined) {
  const client = useQueryClient();
  const waiting = useRef(new Map<string, string>());
  useEffect(() => {
    for (const request of projections?.flatMap((projection) => projection.requests) ?? []) {
      const what = waiting.current.get(request.id);
      if (!what || !request.finishedAt) continue;
      waiting.current.delete(request.id);
      if (request.state === 'done')
        toast(`${what}: done`, request.generation === null ? undefined : `Generation ${request.generation}`);
      else toastError(`${what}: ${request.state}`, request.error);
    }
  }, [projections]);
  return useMutation({
    mutationFn: ({ name, action, reason, force }: OperationInput) => ask(name, action, reason, force),
    onSuccess: (request, { name, action }) => {
      waiting.current.set(request.id, `${LABELS[action]} ${name}`);
    },
    onError: (error, { name, action }) => toastError(`${LABELS[action]} ${name}: rejected`, messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['operations', 'projections'] }),
  });
}
