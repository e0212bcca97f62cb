import { useQuery } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { useCommand } from '@/lib/api/command';
import { formatDateTime } from '@/lib/dates';
import { toastWith } from '@/stores/toasts';
import {
  pauseReport,
  previewReport,
  removeReport,
  reportName,
  reportsQuery,
  restoreReport,
  type EmailReport,
} from '../api/reports';
import { pauseText, scheduleText } from '../lib/report-times';
import { ReportForm, type ParameterFields } from './report-form';

const UNDO_MS = 10_000;
const OWN_ZONE = 'your time zone (Account Settings > General)';

interface Props {
  /** A saved query that shall be emailed: the form opens for it. */
  readonly query: string | undefined;
  /** The form was closed. */
  readonly onQueryDone: () => void;
  readonly parameters: ParameterFields;
  /** Leads to where views are saved. */
  readonly toAnalytics: ReactNode;
}

/** One's reports by email: when they come, how the last one went; change, pause, delete. */
export function ReportsPanel({ query, onQueryDone, parameters, toAnalytics }: Props) {
  const reports = useQuery(reportsQuery);
  const [editing, setEditing] = useState<EmailReport | null>(null);
  return (
    <Card
      title="Email reports"
      description="Saved views and queries that you get by email, with charts and CSV files. Only you receive them."
    >
      {reports.error && (
        <ErrorBox error={reports.error} prefix="Error loading your reports" onRetry={() => void reports.refetch()} />
      )}
      {!reports.data && !reports.error && <Loading label="Loading your reports" />}
      {reports.data?.length === 0 && (
        <Empty icon={<Mail aria-hidden className="size-5" />} title="No email reports yet">
          <p className="mb-3">Save a view in Analytics and choose “Email this view”.</p>
          {toAnalytics}
        </Empty>
      )}
      {reports.data && reports.data.length > 0 && (
        <ul aria-label="Email reports" className="-my-3 divide-y divide-line">
          {reports.data.map((report) => (
            <Row key={report.id} report={report} onEdit={() => setEditing(report)} />
          ))}
        </ul>
      )}
      <Dialog open={editing !== null} onOpenChange={() => setEditing(null)} title="Edit report">
        {editing && (
          <ReportForm
            of={{ report: editing }}
            parameters={parameters}
            timezone={editing.timezone}
            onDone={() => setEditing(null)}
            onCancel={() => setEditing(null)}
          />
        )}
      </Dialog>
      <Dialog
        open={query !== undefined}
        onOpenChange={onQueryDone}
        title="Email this query"
        description="The query runs at the chosen time. You get its chart, the first 50 rows, and all rows as CSV."
      >
        {query !== undefined && (
          <ReportForm
            of={{ content: { queryId: query } }}
            parameters={parameters}
            timezone={OWN_ZONE}
            onDone={onQueryDone}
            onCancel={onQueryDone}
          />
        )}
      </Dialog>
    </Card>
  );
}

function Row({ report, onEdit }: { readonly report: EmailReport; readonly onEdit: () => void }) {
  const preview = useCommand(previewReport(true));
  const pause = useCommand(pauseReport);
  const restore = useCommand(restoreReport);
  const name = reportName(report);
  const remove = useCommand(removeReport, {
    onSuccess: () => toastWith('Report deleted', name, { label: 'Undo', run: () => restore.mutate(report) }, UNDO_MS),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          {name}
          {report.paused && <Badge tone="neutral">Paused</Badge>}
          {report.failure && <Badge tone="bad">Failed</Badge>}
        </p>
        <p className="text-[0.8125rem] text-muted">
          {scheduleText(report)} ({report.timezone})
        </p>
        <p className="text-[0.8125rem] text-muted">{stateText(report)}</p>
        {report.failure && report.failedAt && (
          <p className="text-[0.8125rem] break-words text-bad">
            Not sent {formatDateTime(report.failedAt, report.timezone)}: {report.failure}
          </p>
        )}
      </div>
      <span className="flex flex-wrap gap-2">
        <Button
          size="sm"
          busy={preview.isPending}
          aria-label={`Send now: ${name}`}
          onClick={() => preview.mutate(report.id)}
        >
          Send now
        </Button>
        <Button size="sm" aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <Button
          size="sm"
          busy={pause.isPending}
          aria-label={`${report.paused ? 'Resume' : 'Pause'} ${name}`}
          onClick={() => pause.mutate(report)}
        >
          {report.paused ? 'Resume' : 'Pause'}
        </Button>
        <Button
          size="sm"
          variant="ghost"
          busy={remove.isPending}
          aria-label={`Delete ${name}`}
          onClick={() => remove.mutate(report)}
        >
          Delete
        </Button>
      </span>
    </li>
  );
}

function stateText({ paused, nextAt, sentAt, timezone }: EmailReport): string {
  const last = sentAt ? `Last sent ${formatDateTime(sentAt, timezone)}.` : 'Not sent yet.';
  if (paused) return `${pauseText(paused)} ${last}`;
  return `${last}${nextAt ? ` Next: ${formatDateTime(nextAt, timezone)}.` : ''}`;
}
