import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { Website } from '@/lib/api/types';
import { websitesQuery } from '@/lib/shared-queries';
import { toast } from '@/stores/toasts';

/** What a website allows to reports of its public site key alone. */
export type ClaimLimits = Pick<Website, 'maxClaimAmount' | 'maxClaimsPerClick'>;

/** Saves the given limits; the list of websites is updated optimistically. */
export function useClaimLimits(website: Website) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (limits: Partial<ClaimLimits>) =>
      body(api.PATCH('/api/platform/websites/{id}', { params: { path: { id: website.id } }, body: limits })),
    onSuccess: ({ maxClaimAmount, maxClaimsPerClick }) => {
      client.setQueryData(websitesQuery.queryKey, (before) =>
        before?.map((item) => (item.id === website.id ? { ...item, maxClaimAmount, maxClaimsPerClick } : item)),
      );
      toast('Claim limits saved', `They apply to new claims on ${website.domain}.`);
    },
    onSettled: () => client.invalidateQueries({ queryKey: websitesQuery.queryKey }),
  });
}
