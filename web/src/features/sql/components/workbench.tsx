import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark, Download, Link as LinkIcon, Play, Square } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Boundary } from '@/components/data/boundary';
import { KeptFrom } from '@/components/data/kept-from';
import { Empty, ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Tabs } from '@/components/ui/tabs';
import { cx } from '@/lib/cx';
import { countOf, formatCompact, formatCount } from '@/lib/format';
import { isAdmin, useSession } from '@/lib/session';
import { keyLabels } from '@/lib/browser/shortcuts';
import { useCommand } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import { copyText } from '@/lib/browser/clipboard';
import { toast, toastError } from '@/stores/toasts';
import {
  oneQuery,
  pinChart,
  restoreVersion,
  saveText,
  schemaQuery,
  toggleShared,
  type ListedQuery,
  type SqlResult,
  type SqlSchema,
} from '../api/queries';
import { saveAs, useRun, type FileFormat, type Run } from '../hooks/use-run';
import { linkTo, NOTHING, type SqlAddress, type Values } from '../lib/address';
import { keepDraft, readDraft } from '../lib/draft';
import { faultOf, type Fault } from '../lib/fault';
import { parametersOf, valuesFor } from '../lib/parameters';
import { Editor, type EditorHandle } from './editor';
import { Parameters } from './parameters';
import { QueryBar } from './query-bar';
import { ResultChart, type ChosenChart } from './result-chart';
import { ResultTable } from './result-table';
import { AllHistory, History, Saved, Tables } from './side';

// Dialogs and the help for clients are fetched when they are needed: the editor comes first.
const Clients = lazy(() => import('./clients').then((module) => ({ default: module.Clients })));
const SaveDialog = lazy(() => import('./save-dialog').then((module) => ({ default: module.SaveDialog })));
const VersionsDialog = lazy(() => import('./versions-dialog').then((module) => ({ default: module.VersionsDialog })));

const FIRST =
  'SELECT toDate(bucket) AS day, sum(clicks) AS clicks, sum(pending + approved) AS conversions\nFROM traffic_15m\nWHERE NOT is_bot AND bucket > now() - INTERVAL 30 DAY\nGROUP BY day\nORDER BY day';

interface Props {
  readonly address?: SqlAddress;
  readonly onAddress?: (address: SqlAddress) => void;
  /** What else can be done with a saved query. */
  readonly queryAction?: (query: ListedQuery) => ReactNode;
}

export function Workbench({ address = NOTHING, onAddress = () => {}, queryAction }: Props) {
  const client = useQueryClient();
  const schema = useQuery(schemaQuery);
  const session = useSession();
  const owner = session?.user.id ?? '';
  const [draft] = useState(() => readDraft(owner));
  const [sql, setSql] = useState(address.sql ?? draft?.sql ?? FIRST);
  const [values, setValues] = useState(address.values);
  // Whose text the editor has: a draft of the query that the address opens is not replaced.
  const [shownId, setShownId] = useState(draft?.query === address.query ? address.query : null);
  const [shownSql, setShownSql] = useState(address.sql);
  const opened = useQuery({ ...oneQuery(address.query ?? ''), enabled: address.query !== null });
  const query = address.query === null ? null : (opened.data ?? null);
  if (query && query.id !== shownId) {
    setShownId(query.id);
    setSql(query.sql);
    setValues(address.values);
  }
  if (address.sql !== shownSql) {
    setShownSql(address.sql);
    if (address.sql !== null) setSql(address.sql);
  }
  useEffect(() => keepDraft(owner, { sql, query: address.query }), [owner, sql, address.query]);

  const editor = useRef<EditorHandle>(null);
  const [dialog, setDialog] = useState<'save' | 'versions' | null>(null);
  const saveChanges = useCommand(saveText);
  const share = useCommand(toggleShared);
  const restore = useCommand(restoreVersion);
  const pinned = useCommand(pinChart);
  const { run, start, cancel } = useRun();
  const running = run.state === 'running';
  const failure = run.state === 'failed' && run.sql === sql ? run.error : null;
  const fault = failure === null ? null : faultOf(messageOf(failure), sql);
  const parameters = useMemo(() => parametersOf(sql), [sql]);
  const isModified = query !== null && sql !== query.sql;

  const change = (text: string) => {
    setSql(text);
    if (address.sql !== null) onAddress({ ...address, sql: null });
  };
  const setValue = (name: string, value: string) => {
    const changed = { ...valuesFor(sql, values), [name]: value };
    setValues(changed);
    onAddress({ ...address, values: changed });
  };
  const open = (text: string) => editor.current?.replace(text);
  const openSaved = async ({ id }: ListedQuery) => {
    try {
      const whole = await client.fetchQuery({ ...oneQuery(id), staleTime: 0 });
      setShownId(id);
      open(whole.sql);
      onAddress({ query: id, sql: null, values: {} });
    } catch (error) {
      toastError('The query could not be opened', messageOf(error));
    }
  };
  const runNow = () => start(sql, valuesFor(sql, values));
  const save = () => (query?.mayChange ? saveChanges.mutate({ id: query.id, sql }) : setDialog('save'));
  const copyLink = async () => {
    const target = query && !isModified ? { query: query.id, sql: null } : { query: null, sql };
    const link = linkTo({ ...target, values: valuesFor(sql, values) });
    if (link === null) {
      toastError('This text is too long for a link', 'Save the query, then copy its link.');
      return;
    }
    try {
      await copyText(link);
      toast(
        'Link copied',
        query?.isShared === false && !isModified ? 'Others need the query to be shared.' : undefined,
      );
    } catch (error) {
      toastError('Failed to copy', messageOf(error));
    }
  };
  const pin = !query
    ? 'Save the query to pin this chart to your dashboard.'
    : run.state === 'done' && run.sql !== query.sql
      ? 'Save your changes to pin this chart to your dashboard.'
      : ({ kind, x, y }: ChosenChart) =>
          pinned.mutate({ queryId: query.id, kind, x, y: [...y], parameters: valuesFor(query.sql, values) });
  return (
    <div className="grid gap-4 sm:gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_auto_1fr]">
      <Card
        title="Statement"
        description="SELECT only. Press Ctrl+Space for suggestions."
        actions={
          <>
            <Button size="sm" onClick={() => void copyLink()} disabled={!sql.trim()}>
              <LinkIcon aria-hidden className="size-3.5" />
              Copy link
            </Button>
            <Button
              size="sm"
              onClick={save}
              busy={saveChanges.isPending}
              disabled={!sql.trim() || (query?.mayChange === true && !isModified)}
            >
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
                onClick={runNow}
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
        {address.query !== null && opened.error && (
          <ErrorBox error={opened.error} prefix="The query could not be opened" className="mb-3" />
        )}
        {query && (
          <QueryBar
            query={query}
            isModified={isModified}
            isBusy={share.isPending}
            onVersions={() => setDialog('versions')}
            onShare={() => share.mutate(query)}
            onSaveAs={() => setDialog('save')}
            onDiscard={() => open(query.sql)}
            onClose={() => onAddress({ ...address, query: null })}
          />
        )}
        <Editor ref={editor} value={sql} onChange={change} onRun={runNow} schema={schema.data} fault={fault} />
        {parameters.length > 0 && (
          <Parameters
            parameters={parameters}
            values={values}
            errors={failure instanceof ApiError ? failure.fields : {}}
            onChange={setValue}
          />
        )}
        <Limits schema={schema.data} />
      </Card>
      <ResultCard run={run} fault={fault} pin={pin} onFault={({ from, to }) => editor.current?.select(from, to)} />
      <aside aria-label="Tables and queries" className="min-w-0 lg:col-start-2 lg:row-span-3 lg:row-start-1">
        <div className="h-96 overflow-y-auto rounded-xl border border-line bg-surface p-4 shadow-card lg:sticky lg:top-18 lg:h-auto lg:max-h-[calc(100vh-6rem)]">
          <Tabs
            label="Tables and queries"
            look="pill"
            tabs={[
              {
                id: 'tables',
                label: 'Tables',
                content: <Tables onOpen={open} onInsert={(text) => editor.current?.insert(text)} />,
              },
              { id: 'history', label: 'History', content: <History onOpen={open} /> },
              {
                id: 'saved',
                label: 'Saved',
                content: <Saved open={address.query} onOpen={(one) => void openSaved(one)} action={queryAction} />,
              },
              ...(isAdmin(session?.user)
                ? [{ id: 'everybody', label: 'All', content: <AllHistory onOpen={open} /> }]
                : []),
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
      {dialog && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            {dialog === 'versions' && query ? (
              <VersionsDialog
                query={query}
                isBusy={restore.isPending}
                onRestore={(number) =>
                  restore.mutate({ id: query.id, number }, { onSuccess: (restored) => open(restored.sql) })
                }
                onClose={() => setDialog(null)}
              />
            ) : (
              <SaveDialog
                sql={sql}
                onSaved={(id) => {
                  setShownId(id);
                  onAddress({ query: id, sql: null, values: valuesFor(sql, values) });
                }}
                onClose={() => setDialog(null)}
              />
            )}
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
  pin,
  onFault,
}: {
  readonly run: Run;
  readonly fault: Fault | null;
  readonly pin: ((chart: ChosenChart) => void) | string;
  readonly onFault: (fault: Fault) => void;
}) {
  const result = run.state === 'done' ? run.result : null;
  return (
    <Card
      title="Result"
      description={result ? summary(result) : undefined}
      actions={
        run.state === 'done' && run.result.rows.length > 0 ? (
          <Files sql={run.sql} parameters={run.parameters} />
        ) : undefined
      }
    >
      {run.state === 'done' && <KeptFrom day={run.keptFrom} of="account" />}
      {run.state === 'idle' && <Empty>Run a statement to see its rows.</Empty>}
      {run.state === 'running' && <Running since={run.since} />}
      {run.state === 'cancelled' && <Empty>The statement was canceled.</Empty>}
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
            { id: 'chart', label: 'Chart', content: <ResultChart result={result} pin={pin} /> },
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

function Files({ sql, parameters }: { readonly sql: string; readonly parameters: Values }) {
  const [busy, setBusy] = useState<FileFormat | null>(null);
  const save = async (format: FileFormat) => {
    setBusy(format);
    await saveAs(sql, parameters, format);
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
