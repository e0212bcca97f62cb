import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FlatSearch } from '@/lib/url/search';

/** The query of the page's address, and a way to change parts of it: an empty part leaves the address. The page does not
 * scroll, and there is no step back for each letter. */
export function useAddress(): readonly [FlatSearch, (part: Record<string, string | null>) => void] {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as FlatSearch;
  const go = (part: Record<string, string | null>) => {
    const changed = Object.entries({ ...search, ...part }).filter(([, value]) => value !== null && value !== '');
    void navigate({ to: '.', search: Object.fromEntries(changed) as FlatSearch, resetScroll: false, replace: true });
  };
  return [search, go];
}
