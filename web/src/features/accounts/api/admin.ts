import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';

const PAGE = 50;

const at = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

export const ROLES = ['member', 'analyst', 'moderator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
export const ACCOUNT_STATES = ['active', 'disabled', 'erased'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export interface AccountFilter {
  readonly search: string;
  readonly role: Role | '';
  readonly state: AccountState | '';
}

export const accountsQuery = ({ search, role, state }: AccountFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin-accounts', search, role, state],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/admin/accounts', {
          params: {
            query: {
              ...at(pageParam),
              ...(search ? { search } : {}),
              ...(role ? { role } : {}),
              ...(state ? { state } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
