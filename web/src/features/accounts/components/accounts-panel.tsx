import { useDeferredValue, useState } from 'react';
import { opened } from '@/components/data/opened';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { AdminAccount } from '@/lib/api/types';
import { PagedTable } from '@/components/data/paged-table';
import { ACCOUNT_STATES, accountsQuery, enableAccount, ROLES, type AccountFilter } from '../api/admin';
import { nameOf } from '../lib/account-names';

type Doing = { readonly what: 'roles' | 'disable' | 'sessions'; readonly account: AdminAccount };

const STATE_LABELS = { active: 'Active', disabled: 'Disabled', erased: 'Erased' } as const;

const Roles = opened(() => import('./account-dialogs').then((module) => module.Roles));
const Disable = opened(() => import('./account-dialogs').then((module) => module.Disable));
const EndSessions = opened(() => import('./account-dialogs').then((module) => module.EndSessions));

interface PanelProps {
  readonly filter: AccountFilter;
  readonly onFilter: (filter: AccountFilter) => void;
}

export function AccountsPanel({ filter, onFilter }: PanelProps) {
  const { role, state } = filter;
  const search = useDeferredValue(filter.search.trim());
  const accounts = useCursorQuery(accountsQuery({ search, role, state }));
  const [doing, setDoing] = useState<Doing | null>(null);
  const enable = useCommand(enableAccount);
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
                onClick={() => enable.mutate(row.id)}
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
