import { useQuery } from '@tanstack/react-query';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Card } from '@/components/ui/card';
import { formatCount } from '@/lib/format';
import { accountUsageQuery, type UsageToday } from '../api/operations';
import { formatBytes } from '../lib/format';

/** The accounts that store most today, beside the budget of each. */
export function AccountUsage() {
  const { data, error, refetch } = useQuery(accountUsageQuery);
  return (
    <Card title="Usage by account" description={data ? describe(data) : 'Today (UTC)'}>
      {error && <ErrorBox error={error} prefix="Error loading usage" onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {data?.accounts.length === 0 && <Empty>No changes yet today</Empty>}
      {data && data.accounts.length > 0 && (
        <Rows caption="Accounts by storage" columns={COLUMNS} rows={data.accounts} rowKey={(row) => row.accountId} />
      )}
    </Card>
  );
}

const describe = ({ budget }: UsageToday) =>
  `Today (UTC). Each account may store ${formatBytes(budget.bytes)} and make ${formatCount(budget.commands)} changes a day.`;

const COLUMNS: readonly Column<UsageToday['accounts'][number]>[] = [
  { id: 'account', header: 'Account', cell: (row) => row.email ?? 'Deleted account' },
  {
    id: 'bytes',
    header: 'Stored',
    numeric: true,
    cell: (row) => formatBytes(row.bytes),
    className: 'whitespace-nowrap',
  },
  { id: 'commands', header: 'Changes', numeric: true, cell: (row) => formatCount(row.commands) },
  { id: 'refused', header: 'Refused', numeric: true, cell: (row) => formatCount(row.refused) },
];
