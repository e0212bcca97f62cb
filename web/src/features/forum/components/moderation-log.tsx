import { Link } from '@tanstack/react-router';
import { More } from '@/components/data/more';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { surface } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { MemberName } from './member-name';
import { logQuery } from '../api/moderation';
import type { LogEntry } from '../lib/types';

/** Public log of moderation actions, newest first. */
export function ModerationLog() {
  const query = useCursorQuery(logQuery);
  if (query.error) return <ErrorBox error={query.error} prefix="Error loading the log" onRetry={query.retry} />;
  if (query.isPending) return <Skeleton className="h-40" />;
  const rows = query.rows ?? [];
  if (rows.length === 0) {
    return (
      <div className={surface}>
        <Empty>No moderation actions yet.</Empty>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Rows caption="Moderation log" columns={COLUMNS} rows={rows} rowKey={(row) => String(row.id)} />
      <More of={query} className="" />
    </div>
  );
}

const words = (action: string): string => action.charAt(0).toUpperCase() + action.slice(1).replaceAll('_', ' ');

const COLUMNS: Column<LogEntry>[] = [
  { id: 'action', header: 'Action', cell: (row) => <span className="font-medium">{words(row.action)}</span> },
  {
    id: 'about',
    header: 'Subject',
    className: 'min-w-48 [overflow-wrap:anywhere]',
    cell: (row) => (
      <>
        {row.threadId && row.title && (
          <Link
            to="/forum/thread/$id"
            params={{ id: row.threadId }}
            {...(row.postId ? { search: { post: row.postId } } : {})}
            className="rounded text-brand hover:underline"
          >
            {row.title}
          </Link>
        )}
        {row.member && (
          <span className="block">
            <MemberName member={row.member} />
          </span>
        )}
      </>
    ),
  },
  { id: 'reason', header: 'Reason', className: 'min-w-40 [overflow-wrap:anywhere]', cell: (row) => row.reason || '–' },
  { id: 'by', header: 'By', cell: (row) => row.by ?? 'Automatic rule' },
  { id: 'when', header: 'When', className: 'whitespace-nowrap', cell: (row) => <When at={row.at} /> },
];
