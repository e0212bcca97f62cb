import { useQuery } from '@tanstack/react-query';
import { Bookmark, Download, Play, Square } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Empty, ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Tabs } from '@/components/ui/tabs';
import { cx } from '@/lib/cx';
import { countOf, formatCompact, formatCount } from '@/lib/format';
import { isAdmin, useSession } from '@/lib/session';
import { keyLabels } from '@/lib/shortcuts';
import { messageOf } from '@/lib/api/errors';
import { keepDraft, readDraft } from '../lib/draft';
import { Editor, type EditorHandle } from './editor';
import { faultOf, type Fault } from '../lib/fault';
import { schemaQuery, type SqlResult, type SqlSchema } from '../api/queries';
import { ResultChart } from './result-chart';
import { ResultTable } from './result-table';
import { saveAs, useRun, type FileFormat, type Run } from '../hooks/use-run';
import { AllHistory, History, Saved, Tables } from './side';

// Dialogs and the help for clients are fetched when they are needed: the editor comes first.
const Clients = lazy(() => import('./clients').then((module) => ({ default: module.Clients })));
const SaveDialog = lazy(() => import('./save-dialog').then((module) => ({ default: module.SaveDialog })));

const FIRST =
  'SELECT toDate(bucket) AS day, sum(clicks) AS clicks, sum(pending + approved) AS conversions\nFROM traffic_15m\nWHERE NOT is_bot AND bucket > now() - INTERVAL 30 DAY\nGROUP BY day\nORDER BY day';

export function Workbench() {
  const schema = useQuery(schemaQuery);
  const owner = useSession()?.user.id ?? '';
  const [sql, setSql] = useState(() => readDraft(owner) ?? FIRST);
  const editor = useRef<EditorHandle>(null);
  const [saving, setSaving] = useState(false);
  const { run, start, cancel } = useRun();
  const admin = isAdmin(useSession()?.user);
  const running = run.state === 'running';
  const fault = run.state === 'failed' && run.sql === sql ? faultOf(messageOf(run.error), sql) : null;
  const change = (text: string) => {
    setSql(text);
    keepDraft(owner, text);
  };
  const open = (text: string) => editor.current?.replace(text);
  const insert = (text: string) => editor.current?.insert(text);
  return (
    <div className="grid gap-4 sm:gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_auto_1fr]">
      <Card
        title="Statement"
        description="SELECT only. Press Ctrl+Space for suggestions."
        actions={
          <>
            <Button size="sm" onClick={() => setSaving(true)} disabled={!sql.trim()}>
              <Bookmark aria-hidden className="size-3.5" />
              Save
            </Button>
            {running ? (
              <Button size="sm" variant="danger" onClick={cancel}>
                <Square aria-hidden className="size-3.5" />
                Cancel
              </Button>
            ) : (
              <Button
                size="sm"
                variant="primary"
                onClick={() => start(sql)}
                disabled={!sql.trim()}
                title={keyLabels('mod+Enter').join(' ')}
              >
                <Play aria-hidden className="size-3.5" />
                Run
              </Button>
            )}
          </>
        }
      >
        <Editor
          ref={editor}
          value={sql}
          onChange={change}
          onRun={() => start(sql)}
          schema={schema.data}
          fault={fault}
        />
        <Limits schema={schema.data} />
      </Card>
      <ResultCard run={run} fault={fault} onFault={({ from, to }) => editor.current?.select(from, to)} />
      <aside aria-label="Tables and queries" className="min-w-0 lg:col-start-2 lg:row-span-3 lg:row-start-1">
        <div className="h-96 overflow-y-auto rounded-xl border border-line bg-surface p-4 shadow-card lg:sticky lg:top-18 lg:h-auto lg:max-h-[calc(100vh-6rem)]">
          <Tabs
            label="Tables and queries"
            look="pill"
            tabs={[
              { id: 'tables', label: 'Tables', content: <Tables onOpen={open} onInsert={insert} /> },
              { id: 'history', label: 'History', content: <History onOpen={open} /> },
              { id: 'saved', label: 'Saved', content: <Saved onOpen={open} /> },
              ...(admin ? [{ id: 'everybody', label: 'All', content: <AllHistory onOpen={open} /> }] : []),
            ]}
          />
        </div>
      </aside>
      <div className="min-w-0">
        <Boundary fallback={null}>
          <Suspense fallback={<Skeleton className="h-64" />}>
            <Clients />
          </Suspense>
        </Boundary>
      </div>
      {saving && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <SaveDialog sql={sql} onClose={() => setSaving(false)} />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}

/** About as long as those that come: their place is kept. */
const USUAL_LIMITS = { seconds: 30, rowsRead: 100_000_000, pageRows: 1000, resultRows: 1_000_000, running: 2 };

function Limits({ schema }: { readonly schema: SqlSchema | undefined }) {
  const { seconds, rowsRead, pageRows, resultRows, running } = schema?.limits ?? USUAL_LIMITS;
  return (
    <p aria-hidden={!schema} className={cx('mt-3 text-[0.8125rem] text-muted', !schema && 'invisible')}>
      {`Limits: ${seconds} seconds, ${formatCompact(rowsRead)} rows read, ${formatCount(pageRows)} rows shown here and ${formatCompact(resultRows)} in a file, ${running} statements at once.`}
    </p>
  );
}

function ResultCard({
  run,
  fault,
  onFault,
}: {
  readonly run: Run;
  readonly fault: Fault | null;
  readonly onFault: (fault: Fault) => void;
}) {
  const result = run.state === 'done' ? run.result : null;
  return (
    <Card
      title="Result"
      description={result ? summary(result) : undefined}
      actions={run.state === 'done' && run.result.rows.length > 0 ? <Files sql={run.sql} /> : undefined}
    >
      {run.state === 'idle' && <Empty>Run a statement to see its rows.</Empty>}
      {run.state === 'running' && <Running since={run.since} />}
      {run.state === 'cancelled' && <Empty>The statement was cancelled.</Empty>}
      {run.state === 'failed' && (
        <div className="flex flex-col items-start gap-3">
          <ErrorBox error={run.error} className="w-full" />
          {fault && (
            <Button
              size="sm"
              onClick={() => onFault(fault)}
            >{`Go to line ${fault.line}, column ${fault.column}`}</Button>
          )}
        </div>
      )}
      {result && result.rows.length === 0 && <Empty>No rows.</Empty>}
      {result && result.rows.length > 0 && (
        <Tabs
          key={result.queryId}
          label="Result as"
          tabs={[
            { id: 'table', label: 'Table', content: <ResultTable result={result} /> },
            { id: 'chart', label: 'Chart', content: <ResultChart result={result} /> },
          ]}
        />
      )}
    </Card>
  );
}

function Running({ since }: { readonly since: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / 1000)), 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <Loading label={seconds > 1 ? `Running for ${seconds} seconds` : 'Running'} />;
}

const FILES: readonly { readonly format: FileFormat; readonly label: string }[] = [
  { format: 'csv', label: 'CSV' },
  { format: 'ndjson', label: 'NDJSON' },
  { format: 'parquet', label: 'Parquet' },
];

function Files({ sql }: { readonly sql: string }) {
  const [busy, setBusy] = useState<FileFormat | null>(null);
  const save = async (format: FileFormat) => {
    setBusy(format);
    await saveAs(sql, format);
    setBusy(null);
  };
  return FILES.map(({ format, label }) => (
    <Button
      key={format}
      size="sm"
      aria-label={`Download ${label}`}
      busy={busy === format}
      disabled={busy !== null}
      onClick={() => void save(format)}
    >
      <Download aria-hidden className="size-3.5" />
      {label}
    </Button>
  ));
}

function summary({ rows, truncated, statistics }: SqlResult): string {
  const count = `${truncated ? 'The first ' : ''}${countOf(rows.length, 'row')}`;
  const read = statistics.rowsRead === null ? '' : `, ${countOf(statistics.rowsRead, 'row')} read`;
  return `${count} in ${formatCount(statistics.elapsedMs)} ms${read}${truncated ? '. There are more: download them, or add a LIMIT.' : '.'}`;
}
