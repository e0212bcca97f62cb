import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';

const PAGE = 50;

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
  cursorQuery({
    queryKey: ['admin-accounts', search, role, state],
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/accounts', {
          params: {
            query: {
              limit: PAGE,
              ...at,
              ...(search ? { search } : {}),
              ...(role ? { role } : {}),
              ...(state ? { state } : {}),
            },
          },
          signal,
        }),
      ),
    staleTime: 0,
  });

const of = (id: string) => ({ params: { path: { id } } });
const ACCOUNTS = [['admin-accounts']];

export const enableAccount = command({
  send: (id: string) => body(api.POST('/api/admin/accounts/{id}/enable', of(id))),
  changes: ACCOUNTS,
  success: 'Account enabled',
  failure: 'Failed to enable the account',
});

export const setRoles = (id: string) =>
  command({
    send: (change: { readonly roles: Role[] }) =>
      body(api.PUT('/api/admin/accounts/{id}/roles', { ...of(id), body: change })),
    changes: ACCOUNTS,
    success: 'Roles changed',
  });

export const disableAccount = (id: string) =>
  command({
    send: (given: { readonly reason: string }) =>
      body(api.POST('/api/admin/accounts/{id}/disable', { ...of(id), body: given })),
    changes: ACCOUNTS,
    success: 'Account disabled',
  });

export const endSessionsOf = (id: string) =>
  command({
    send: () => body(api.DELETE('/api/admin/accounts/{id}/sessions', of(id))),
    changes: ACCOUNTS,
    success: 'Signed out everywhere',
  });
