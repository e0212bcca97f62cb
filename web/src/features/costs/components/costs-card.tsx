import { Pencil, Trash2 } from 'lucide-react';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { formatDay } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { toastWith } from '@/stores/toasts';
import { costsQuery, removeCost, restoreCost, type Cost } from '../api/costs';

interface Props {
  readonly websiteId: string;
  readonly onAdd: () => void;
  readonly onChange: (cost: Cost) => void;
}

const UNDO_MS = 10_000;

/** What was entered, the last one first. */
export function CostsCard({ websiteId, onAdd, onChange }: Props) {
  const query = useCursorQuery(costsQuery(websiteId));
  const restore = useCommand(restoreCost);
  const remove = useCommand(removeCost, {
    onSuccess: (_done, cost) =>
      toastWith('Cost removed', titleOf(cost), { label: 'Undo', run: () => restore.mutate(cost) }, UNDO_MS),
  });
  const columns: readonly Column<Cost>[] = [
    { id: 'days', header: 'Days', cell: daysOf, className: 'whitespace-nowrap tabular' },
    { id: 'traffic', header: 'For', cell: (row) => <span className="font-medium">{trafficOf(row)}</span> },
    { id: 'note', header: 'Note', cell: (row) => row.note ?? '–', className: 'max-w-56 truncate' },
    { id: 'amount', header: 'Amount', numeric: true, cell: (row) => <Amount cost={row} /> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end gap-1">
          <Button variant="ghost" size="icon" aria-label={`Change ${titleOf(row)}`} onClick={() => onChange(row)}>
            <Pencil aria-hidden className="size-4" />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${titleOf(row)}`}
            disabled={remove.isPending}
            onClick={() => remove.mutate(row)}
          >
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </div>
      ),
    },
  ];
  return (
    <Card
      title="Costs"
      description="Reports spread each cost over the visits it paid for: see cost, profit and ROI there."
      actions={
        <Button variant="primary" onClick={onAdd}>
          Add cost
        </Button>
      }
    >
      <PagedTable
        query={query}
        caption="Costs table"
        columns={columns}
        rowKey={(row) => row.id}
        none="No costs yet. Add what you pay for ads or content to see your profit."
      />
    </Card>
  );
}

const daysOf = ({ from, to }: Cost): string =>
  from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`;

/** The traffic that was paid for. */
const trafficOf = ({ source, campaign, term, content, link, placement }: Cost): string =>
  [source, campaign, term, content, placement, link && 'One link'].filter(Boolean).join(' · ') || 'All traffic';

const titleOf = (cost: Cost): string => `${formatMinor(cost.amount)} for ${trafficOf(cost)}, ${daysOf(cost)}`;

function Amount({ cost: { amount, worth } }: { readonly cost: Cost }) {
  return (
    <span className="font-medium whitespace-nowrap">
      {formatMinor(amount)}
      {amount.currency !== worth.currency && <span className="ml-1.5 text-xs text-muted">= {formatMinor(worth)}</span>}
    </span>
  );
}
