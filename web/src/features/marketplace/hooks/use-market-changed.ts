import { useQueryClient } from '@tanstack/react-query';
import { KEY } from '../api/request';

/** After a change: refetches all marketplace queries. */
export function useMarketChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [KEY] });
}
