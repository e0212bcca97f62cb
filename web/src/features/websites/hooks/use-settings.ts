import { useQueryClient } from '@tanstack/react-query';
import { type Words, useCommand } from '@/lib/api/command';
import { websitesQuery } from '@/lib/api/shared-queries';
import { changeSettings } from '../api/websites';

/** Saves settings of a website. They are shown at once, before the list of websites is read again. */
export function useSettings(id: string, success: Words, failure?: string) {
  const client = useQueryClient();
  return useCommand(changeSettings(id, success, failure), {
    onSuccess: (saved) =>
      client.setQueryData(websitesQuery.queryKey, (before) =>
        before?.map((item) => (item.id === id ? { ...item, ...saved } : item)),
      ),
  });
}
