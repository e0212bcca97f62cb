import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ImportNumbers, type ImportNumber } from '@/components/data/import-numbers';
import { opened } from '@/components/data/opened';
import { PagedTable } from '@/components/data/paged-table';
import { ErrorBox, Loading } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { formatDay } from '@/lib/dates';
import { countOf, formatMinor } from '@/lib/format';
import { hasRows, isCorrectable, isRunning, STATES } from '@/lib/imports/states';
import {
  applyCostImport,
  cancelCostImport,
  costImportQuery,
  costImportRowsQuery,
  undoCostImport,
  type CostImport,
  type CostImportRow,
  type CostRowKind,
} from '../api/imports';
import { platformLabel } from '../lib/platforms';
import { CostMappingForm } from './cost-mapping-form';

const ConfirmDialog = opened(() => import('@/components/ui/confirm-dialog').then((module) => module.ConfirmDialog));

/** One file of costs: what it asks, what it changes, how far it is. */
export function CostImportView({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const { data: found, error, refetch } = useQuery(costImportQuery(id));
  const [kind, setKind] = useState<CostRowKind | null>(null);
  const state = found?.state;
  const before = useRef(state);
  useEffect(() => {
    const wasRunning = before.current !== undefined && isRunning(before.current);
    before.current = state;
    if (!wasRunning || state === undefined || isRunning(state)) return;
    for (const name of ['cost-imports', 'analytics']) void client.invalidateQueries({ queryKey: [name] });
  }, [client, state]);
  if (error && !found)
    return <ErrorBox error={error} prefix="Error loading the import" onRetry={() => void refetch()} />;
  if (!found) return <Loading label="Loading the import" />;
  const numbers = numbersOf(found);
  const shown = hasRows(found.state) ? numbers.find((one) => one.kind === kind && one.count > 0) : undefined;
  return (
    <Card
      title={`${platformLabel(found.platform)}: ${found.fileName}`}
      actions={<Badge tone={STATES[found.state].tone}>{STATES[found.state].label}</Badge>}
    >
      <div className="flex flex-col gap-4">
        {isRunning(found.state) && <p role="status">Working on it. You can leave this page.</p>}
        {found.state === 'failed' && <ErrorBox error={new Error(found.message)} />}
        {hasRows(found.state) && (
          <ImportNumbers
            numbers={numbers}
            delta={found.delta ?? []}
            deltaLabel="change in cost"
            hasRows
            kind={shown?.kind ?? null}
            onOpen={setKind}
          />
        )}
        {found.notes.length > 0 && (
          <ul aria-label="Notes" className="list-disc pl-5 text-[0.8125rem] text-muted">
            {found.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        {shown && <Rows key={shown.kind} id={id} kind={shown.kind} label={shown.label} />}
        {isCorrectable(found.state) && found.layout && (
          <CostMappingForm key={JSON.stringify(found.layout)} of={found} />
        )}
        <Actions of={found} />
      </div>
    </Card>
  );
}

function numbersOf(of: CostImport): readonly ImportNumber<CostRowKind>[] {
  return [
    { kind: 'new', count: of.new ?? 0, label: 'new' },
    { kind: 'changed', count: of.changed ?? 0, label: 'changed' },
    { kind: 'unchanged', count: of.unchanged ?? 0, label: 'unchanged' },
    { kind: 'rejected', count: of.rejectedCount ?? 0, label: 'rejected' },
  ];
}

function Actions({ of: { importId: id, state, ...of } }: { readonly of: CostImport }) {
  const apply = useCommand(applyCostImport);
  const cancel = useCommand(cancelCostImport);
  const undo = useCommand(undoCostImport);
  const [isAsked, setAsked] = useState(false);
  const isOpen = state === 'reading' || state === 'asking' || state === 'ready' || state === 'applying';
  const changes = (of.new ?? 0) + (of.changed ?? 0);
  if (!isOpen && state !== 'applied') return null;
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {isOpen && (
        <Button busy={cancel.isPending} disabled={apply.isPending} onClick={() => cancel.mutate(id)}>
          Cancel
        </Button>
      )}
      {state === 'ready' && (
        <Button variant="primary" busy={apply.isPending} disabled={cancel.isPending} onClick={() => apply.mutate(id)}>
          {changes > 0 ? `Apply ${countOf(changes, 'change')}` : 'Apply'}
        </Button>
      )}
      {state === 'applied' && (
        <Button busy={undo.isPending} onClick={() => setAsked(true)}>
          Undo import
        </Button>
      )}
      {isAsked && (
        <ConfirmDialog
          title="Undo this import?"
          description="Its costs will no longer count. The amounts that it replaced will count again."
          action="Undo import"
          onConfirm={() => undo.mutate(id)}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}

interface RowsProps {
  readonly id: string;
  readonly kind: CostRowKind;
  readonly label: string;
}

function Rows({ id, kind, label }: RowsProps) {
  return (
    <PagedTable
      caption={`Rows table: ${label}`}
      query={useCursorQuery(costImportRowsQuery(id, kind))}
      columns={kind === 'rejected' ? REJECTED : COSTS}
      rowKey={(row) => `${row.line}`}
      none="No rows."
    />
  );
}

const LINE: Column<CostImportRow> = { id: 'line', header: 'Line', numeric: true, cell: (row) => row.line };

const REJECTED: readonly Column<CostImportRow>[] = [
  { id: 'reason', header: 'Reason', cell: (row) => row.message, className: 'min-w-56' },
  LINE,
  {
    id: 'text',
    header: 'Text of the line',
    cell: (row) => <span className="text-[0.8125rem] text-muted wrap-anywhere">{row.text}</span>,
  },
];

const COSTS: readonly Column<CostImportRow>[] = [
  { id: 'day', header: 'Day', cell: (row) => row.day && formatDay(row.day), className: 'whitespace-nowrap tabular' },
  {
    id: 'traffic',
    header: 'For',
    cell: (row) => [row.source, row.campaign, row.term, row.content].filter(Boolean).join(' · ') || 'All traffic',
  },
  LINE,
  {
    id: 'amount',
    header: 'Cost',
    numeric: true,
    cell: (row) => row.amount && formatMinor(row.amount),
    className: 'font-medium whitespace-nowrap',
  },
];
