import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { ErrorBox } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { Select, TextField } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { api, body } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { AdminAccount } from '@/lib/api/types';
import { toast, toastError } from '@/stores/toasts';
import { PagedTable } from '@/components/data/paged-table';
import { Check } from '@/components/ui/check';
import { ACCOUNT_STATES, accountsQuery, ROLES, type AccountFilter, type Role } from '../api/admin';

type Doing = { readonly what: 'roles' | 'disable' | 'sessions'; readonly account: AdminAccount };

const STATE_LABELS = { active: 'Active', disabled: 'Disabled', erased: 'Erased' } as const;

const nameOf = (account: AdminAccount): string => account.name || account.email || 'Erased account';

interface PanelProps {
  readonly filter: AccountFilter;
  readonly onFilter: (filter: AccountFilter) => void;
}

export function AccountsPanel({ filter, onFilter }: PanelProps) {
  const { role, state } = filter;
  const search = useDeferredValue(filter.search.trim());
  const accounts = useInfiniteQuery(accountsQuery({ search, role, state }));
  const [doing, setDoing] = useState<Doing | null>(null);
  const changed = useChanged();
  const enable = useMutation({
    mutationFn: (account: AdminAccount) =>
      body(api.POST('/api/admin/accounts/{id}/enable', { params: { path: { id: account.id } } })),
    onSuccess: () => toast('Account enabled'),
    onError: (error) => toastError('Failed to enable the account', messageOf(error)),
    onSettled: changed,
  });
  const columns: Column<AdminAccount>[] = [
    {
      id: 'who',
      header: 'Account',
      className: 'min-w-52 [overflow-wrap:anywhere]',
      cell: (row) => (
        <>
          <span className="block font-medium">{nameOf(row)}</span>
          <span className="block text-[0.8125rem] text-muted">{row.name ? row.email : ''}</span>
        </>
      ),
    },
    {
      id: 'roles',
      header: 'Roles',
      cell: (row) => (
        <span className="flex flex-wrap gap-1">
          {row.roles.map((role) => (
            <Badge key={role} tone={role === 'admin' ? 'brand' : 'neutral'}>
              {role}
            </Badge>
          ))}
        </span>
      ),
    },
    {
      id: 'state',
      header: 'Status',
      cell: (row) =>
        row.erasedAt ? (
          <Badge>Erased</Badge>
        ) : row.disabledAt ? (
          <Badge tone="bad">Disabled</Badge>
        ) : (
          <Badge tone="good">Active</Badge>
        ),
    },
    { id: 'factor', header: '2FA', cell: (row) => (row.twoFactor ? 'On' : 'Off') },
    { id: 'websites', header: 'Websites', cell: (row) => row.websites, numeric: true },
    { id: 'sessions', header: 'Sessions', cell: (row) => row.sessions, numeric: true },
    {
      id: 'seen',
      header: 'Last seen',
      cell: (row) => (row.lastSeenAt ? <When at={row.lastSeenAt} /> : '–'),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'created',
      header: 'Created',
      cell: (row) => <When at={row.createdAt} />,
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) =>
        !row.erasedAt && (
          <div className="flex justify-end gap-1.5">
            <Button
              size="sm"
              aria-label={`Roles of ${nameOf(row)}`}
              onClick={() => setDoing({ what: 'roles', account: row })}
            >
              Roles
            </Button>
            <Button
              size="sm"
              aria-label={`Sign out everywhere: ${nameOf(row)}`}
              disabled={row.sessions === 0}
              onClick={() => setDoing({ what: 'sessions', account: row })}
            >
              Sign out
            </Button>
            {row.disabledAt ? (
              <Button
                size="sm"
                aria-label={`Enable ${nameOf(row)}`}
                disabled={enable.isPending}
                onClick={() => enable.mutate(row)}
              >
                Enable
              </Button>
            ) : (
              <Button
                size="sm"
                aria-label={`Disable ${nameOf(row)}`}
                onClick={() => setDoing({ what: 'disable', account: row })}
              >
                Disable
              </Button>
            )}
          </div>
        ),
    },
  ];
  const close = () => setDoing(null);
  return (
    <Card
      title="Accounts"
      description="All registered accounts, newest first"
      actions={
        <>
          <SearchField
            label="Search by name or email"
            value={filter.search}
            onChange={(text) => onFilter({ ...filter, search: text })}
          />
          <Select
            label="Role"
            value={role}
            onChange={(event) => onFilter({ ...filter, role: event.target.value as AccountFilter['role'] })}
          >
            <option value="">All roles</option>
            {ROLES.map((one) => (
              <option key={one} value={one}>
                {`Role ${one}`}
              </option>
            ))}
          </Select>
          <Select
            label="Status"
            value={state}
            onChange={(event) => onFilter({ ...filter, state: event.target.value as AccountFilter['state'] })}
          >
            <option value="">All statuses</option>
            {ACCOUNT_STATES.map((one) => (
              <option key={one} value={one}>
                {STATE_LABELS[one]}
              </option>
            ))}
          </Select>
        </>
      }
    >
      <PagedTable
        caption="All accounts"
        query={accounts}
        columns={columns}
        rowKey={(row) => row.id}
        none={search || role || state ? 'No accounts match.' : 'No accounts yet'}
      />
      {doing?.what === 'roles' && <Roles account={doing.account} onClose={close} />}
      {doing?.what === 'disable' && <Disable account={doing.account} onClose={close} />}
      {doing?.what === 'sessions' && <EndSessions account={doing.account} onClose={close} />}
    </Card>
  );
}

interface DialogProps {
  readonly account: AdminAccount;
  readonly onClose: () => void;
}

function Roles({ account, onClose }: DialogProps) {
  const [roles, setRoles] = useState<readonly Role[]>(ROLES.filter((role) => account.roles.includes(role)));
  const save = useDone(
    () =>
      body(
        api.PUT('/api/admin/accounts/{id}/roles', {
          params: { path: { id: account.id } },
          body: { roles: [...roles] },
        }),
      ),
    'Roles changed',
    onClose,
  );
  return (
    <Asking
      title={`Roles of ${nameOf(account)}`}
      description="Changes take effect immediately. Every account is a member."
      action="Save roles"
      save={save}
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-2.5">
        <legend className="sr-only">Roles</legend>
        {ROLES.map((role) => (
          <Check
            key={role}
            label={role}
            disabled={role === 'member'}
            checked={role === 'member' || roles.includes(role)}
            onChange={(on) => setRoles(on ? [...roles, role] : roles.filter((item) => item !== role))}
          />
        ))}
      </fieldset>
    </Asking>
  );
}

function Disable({ account, onClose }: DialogProps) {
  const [reason, setReason] = useState('');
  const save = useDone(
    () =>
      body(
        api.POST('/api/admin/accounts/{id}/disable', {
          params: { path: { id: account.id } },
          body: { reason: reason.trim() },
        }),
      ),
    'Account disabled',
    onClose,
  );
  return (
    <Asking
      title={`Disable ${nameOf(account)}?`}
      description="The account can no longer sign in, and its sessions end immediately."
      action="Disable"
      danger
      ready={reason.trim() !== ''}
      save={save}
      onClose={onClose}
    >
      <TextField label="Reason" maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
    </Asking>
  );
}

function EndSessions({ account, onClose }: DialogProps) {
  const save = useDone(
    () => body(api.DELETE('/api/admin/accounts/{id}/sessions', { params: { path: { id: account.id } } })),
    'Signed out everywhere',
    onClose,
  );
  return (
    <Asking
      title={`Sign out ${nameOf(account)}?`}
      description="This account is signed out in every browser."
      action="Sign out everywhere"
      danger
      save={save}
      onClose={onClose}
    />
  );
}

interface AskingProps {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly danger?: boolean;
  readonly ready?: boolean;
  readonly save: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown };
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

function Asking({ title, description, action, danger = false, ready = true, save, onClose, children }: AskingProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={description}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) save.mutate();
        }}
      >
        {children}
        {Boolean(save.error) && <ErrorBox error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={save.isPending} disabled={!ready}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function useChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['admin-accounts'] });
}

function useDone(run: () => Promise<unknown>, said: string, onClose: () => void) {
  const onSettled = useChanged();
  return useMutation({
    mutationFn: () => run(),
    onSuccess: () => {
      toast(said);
      onClose();
    },
    onSettled,
  });
}
