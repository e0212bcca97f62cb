import { Link } from '@tanstack/react-router';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import type { CursorList } from '@/lib/api/cursor-query';
import { deltaText } from '@/lib/imports/delta';
import { networkOf } from '@/lib/networks/postback';
import type { NetworkImport } from '../api/imports';
import { summaryOf } from '../lib/numbers';
import { STATES } from '@/lib/imports/states';

/** Imports of a website, the newest first. */
export function ImportsCard({ query }: { readonly query: CursorList<NetworkImport> }) {
  return (
    <Card title="Imports" description="Newest first. Open one to see its rows, to apply it or to undo it.">
      <PagedTable
        caption="Imports table"
        query={query}
        columns={COLUMNS}
        rowKey={(row) => row.importId}
        none="No reports uploaded yet."
      />
    </Card>
  );
}

const isRead = ({ state }: NetworkImport): boolean => !['reading', 'asking', 'failed', 'cancelled'].includes(state);

const COLUMNS: readonly Column<NetworkImport>[] = [
  {
    id: 'file',
    header: 'Report',
    cell: (row) => (
      <Link
        to="/conversions/networks/$id"
        params={{ id: row.importId }}
        search={{ website: row.websiteId }}
        className="font-medium text-brand hover:underline"
      >
        <span className="block truncate">{row.fileName}</span>
      </Link>
    ),
    className: 'max-w-72',
  },
  { id: 'network', header: 'Network', cell: (row) => networkOf(row.network)?.label ?? row.network },
  {
    id: 'uploaded',
    header: 'Uploaded',
    cell: (row) => <When at={row.uploadedAt} />,
    className: 'whitespace-nowrap',
  },
  {
    id: 'state',
    header: 'Status',
    cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>,
  },
  {
    id: 'numbers',
    header: 'Rows',
    cell: (row) => (isRead(row) ? summaryOf(row) : row.message),
    className: 'max-w-80',
  },
  {
    id: 'delta',
    header: 'Commission',
    numeric: true,
    cell: (row) => (isRead(row) ? deltaText(row.delta ?? []) : ''),
    className: 'whitespace-nowrap',
  },
];
