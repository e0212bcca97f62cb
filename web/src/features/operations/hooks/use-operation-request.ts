import { useEffect, useRef } from 'react';
import { useCommand } from '@/lib/api/command';
import { toast, toastError } from '@/stores/toasts';
import { requestOperation, type Projection } from '../api/operations';
import { LABELS } from '../lib/format';

/** Requests an operation and shows its result once the projectors have finished it. */
export function useOperationRequest(projections: readonly Projection[] | undefined) {
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
  return useCommand(requestOperation, {
    onSuccess: (request, { name, action }) => {
      waiting.current.set(request.id, `${LABELS[action]} ${name}`);
    },
  });
}
