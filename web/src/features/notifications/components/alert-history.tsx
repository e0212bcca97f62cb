import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { AlertLink } from './open-alerts';
import { raisedAlertsQuery, type RaisedAlert } from '../api/alerts';

const COLUMNS: readonly Column<RaisedAlert>[] = [
  { id: 'title', header: 'Alert', cell: (row) => <AlertLink alert={row} names />, className: 'min-w-56' },
  { id: 'opened', header: 'Opened', cell: (row) => <When at={row.openedAt} />, className: 'whitespace-nowrap' },
  {
    id: 'state',
    header: 'Status',
    cell: (row) =>
      row.resolvedAt ? (
        <span className="inline-flex items-center gap-2 whitespace-nowrap">
          <Badge tone="good">Resolved</Badge>
          <When at={row.resolvedAt} />
        </span>
      ) : (
        <Badge tone="warn">Open</Badge>
      ),
  },
];

/** Open and resolved alerts of all websites, newest first. */
export function AlertHistory() {
  const query = useCursorQuery(raisedAlertsQuery);
  return (
    <Card title="Recent alerts" description="All your websites, newest first">
      <PagedTable
        caption="Alerts of all your websites"
        query={query}
        columns={COLUMNS}
        rowKey={(row) => row.id}
        none="No alerts yet."
      />
    </Card>
  );
}
