import { useAddress } from '@/app/use-address';
import { OWNED_SORTS, type OwnedFilter } from '@/lib/admin/owned';
import { textOf } from '@/lib/url/search';

/** The filter of an admin's list, kept in the address. */
export function useOwnedFilter(): readonly [OwnedFilter, (filter: OwnedFilter) => void] {
  const [search, go] = useAddress();
  return [
    {
      search: textOf(search['search']) ?? '',
      sort: OWNED_SORTS.find((sort) => sort === search['sort']) ?? 'created',
    },
    ({ search, sort }) => go({ search, sort: sort === 'created' ? null : sort }),
  ];
}
