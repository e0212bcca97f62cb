import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, History, Pencil, Plus, Power, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { ErrorBox, Empty, Loading } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { Select } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { AdminPartner } from '@/lib/api/types';
import { browserTimezone, formatDay, todayIn } from '@/lib/dates';
import { countOf, formatCount, formatMinor, formatMoney } from '@/lib/format';
import { useCommands } from '@/stores/commands';
import { createPartner, updatePartner, deletePartner } from '../api/partners';
import { Action } from './action';
import { AddPartner, EditPartner } from './dialogs';
import { PartnerDetails } from './partner-details';
import { PartnerName } from './partner-name';
import { RequestReview } from './request-review';
import { adminPartnersQuery } from '@/lib/api/setup-queries';
import { keptCurrency } from '@/lib/storage/totals-currency';
import { SearchField } from '@/components/ui/search-field';
import { performanceQuery, type PartnerTotals } from '../api/performance';

type SortBy = 'name' | 'commission' | 'status' | 'created' | Metric;
type Metric = 'clicks' | 'conversions' | 'revenue' | 'epc';
/** For phones, where there are no headers to press. */
const SORTS: readonly { readonly by: SortBy; readonly up: string; readonly down: string }[] = [
  { by: 'created', up: 'Oldest first', down: 'Newest first' },
  { by: 'name', up: 'Name, A to Z', down: 'Name, Z to A' },
  { by: 'commission', up: 'Lowest commission', down: 'Highest commission' },
  { by: 'status', up: 'Active first', down: 'Inactive first' },
  { by: 'clicks', up: 'Fewest clicks', down: 'Most clicks' },
  { by: 'conversions', up: 'Fewest conversions', down: 'Most conversions' },
  { by: 'revenue', up: 'Lowest revenue', down: 'Highest revenue' },
  { by: 'epc', up: 'Lowest EPC', down: 'Highest EPC' },
];
const METRICS: readonly { readonly id: Metric; readonly label: string }[] = [
  { id: 'clicks', label: 'Clicks' },
  { id: 'conversions', label: 'Conversions' },
  { id: 'revenue', label: 'Revenue' },
  { id: 'epc', label: 'EPC' },
];
/** The directory's partners, and those that members added for themselves. */
const WHOSE = [
  { value: 'all', label: 'All partners' },
  { value: 'directory', label: 'Directory' },
  { value: 'private', label: 'Private' },
] as const;
type Open = { readonly what: 'edit' | 'details' | 'delete'; readonly id: string };

const ORDER: Readonly<Record<Exclude<SortBy, Metric>, (a: AdminPartner, b: AdminPartner) => number>> = {
  name: (a, b) => a.name.localeCompare(b.name),
  commission: (a, b) => (a.commission ?? -1) - (b.commission ?? -1) || a.terms.text.localeCompare(b.terms.text),
  status: (a, b) => Number(b.isActive) - Number(a.isActive),
  created: (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt),
};

/** `selected`: the partner in the URL. */
export function PartnersPanel({
  selected,
  search,
  onSearch,
  onDeselect,
}: {
  readonly selected: string | undefined;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly onDeselect: () => void;
}) {
  const query = useQuery(adminPartnersQuery);
  const performance = useQuery(performanceQuery(keptCurrency()));
  const totals = new Map(performance.data?.map((row) => [row.partnerId, row]));
  const create = useCommand(createPartner);
  const update = useCommand(updatePartner);
  const [whose, setWhose] = useState<'all' | 'directory' | 'private'>('all');
  const [sort, setSort] = useState<{ readonly by: SortBy; readonly down: boolean }>({ by: 'created', down: true });
  const [adding, setAdding] = useState(false);
  useCommands([{ id: 'add-partner', title: 'Add partner', group: 'Actions', run: () => setAdding(true) }]);
  const [chosen, setChosen] = useState<Open | null>(null);
  const open = chosen ?? (selected ? ({ what: 'details', id: selected } as const) : null);
  const partner = query.data?.find((item) => item.id === open?.id);
  const close = () => {
    setChosen(null);
    if (selected) onDeselect();
  };
  const wanted = search.trim().toLowerCase();
  const rows = (query.data ?? [])
    .filter((item) => whose === 'all' || (whose === 'private') === (item.ownerId !== null))
    .filter((item) =>
      `${item.name} ${item.slug} ${item.baseUrl} ${item.ownerName ?? ''}`.toLowerCase().includes(wanted),
    )
    .sort((a, b) => orderOf(sort.by, totals)(a, b) * (sort.down ? -1 : 1));
  const header = (by: SortBy, label: string): Pick<Column<AdminPartner>, 'id' | 'header' | 'label' | 'sorted'> => ({
    id: by,
    label,
    sorted: sort.by !== by ? 'none' : sort.down ? 'descending' : 'ascending',
    header: (
      <button
        type="button"
        className="inline-flex items-center gap-1 rounded font-medium hover:text-text"
        onClick={() => setSort({ by, down: sort.by === by ? !sort.down : false })}
      >
        {label}
        {sort.by === by &&
          (sort.down ? <ArrowDown aria-hidden className="size-3" /> : <ArrowUp aria-hidden className="size-3" />)}
      </button>
    ),
  });
  const columns: readonly Column<AdminPartner>[] = [
    {
      ...header('name', 'Name'),
      cell: (row) => (
        <PartnerName partner={row} owner={row.ownerName} onOpen={() => setChosen({ what: 'details', id: row.id })} />
      ),
    },
    {
      ...header('commission', 'Commission'),
      cell: (row) => (row.commission !== null && row.terms.tiers.length === 0 ? `${row.commission}%` : row.terms.text),
    },
    {
      ...header('status', 'Status'),
      cell: (row) => <Badge tone={row.isActive ? 'good' : 'neutral'}>{row.isActive ? 'Active' : 'Inactive'}</Badge>,
    },
    {
      ...header('created', 'Created'),
      cell: (row) => formatDay(todayIn(browserTimezone(), new Date(row.createdAt))),
      className: 'whitespace-nowrap',
    },
    ...METRICS.map(({ id, label }) => ({
      ...header(id, label),
      numeric: true,
      cell: (row: AdminPartner) =>
        performance.data ? metricText(id, totals.get(row.id)) : <span className="text-muted">–</span>,
    })),
    {
      id: 'actions',
      header: 'Actions',
      cell: (row) => (
        <div className="flex gap-1">
          <Action label={`Edit ${row.name}`} Icon={Pencil} onClick={() => setChosen({ what: 'edit', id: row.id })} />
          <Action
            label={`History and postback of ${row.name}`}
            Icon={History}
            onClick={() => setChosen({ what: 'details', id: row.id })}
          />
          <Action
            label={`${row.isActive ? 'Deactivate' : 'Activate'} ${row.name}`}
            Icon={Power}
            onClick={() => update.mutate({ partner: row, changes: { isActive: !row.isActive } })}
          />
          <Action
            label={`Delete ${row.name}`}
            Icon={Trash2}
            onClick={() => setChosen({ what: 'delete', id: row.id })}
          />
        </div>
      ),
    },
  ];
  return (
    <div className="flex flex-col gap-6">
      <RequestReview />
      <Card
        title="Partners"
        description="Affiliate programs your sites can promote. Numbers are those of the last 30 days on all websites."
        actions={
          <>
            <SearchField label="Search partners" value={search} onChange={onSearch} />
            <Select
              label="Show"
              className="h-8 text-[0.8125rem]"
              value={whose}
              onChange={({ target }) => setWhose(WHOSE.find(({ value }) => value === target.value)?.value ?? 'all')}
            >
              {WHOSE.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
            <Select
              label="Sort by"
              className="h-8 text-[0.8125rem] sm:hidden"
              value={`${sort.by} ${sort.down ? 'down' : 'up'}`}
              onChange={({ target }) =>
                setSort({
                  by: SORTS.find(({ by }) => target.value.startsWith(by))?.by ?? 'created',
                  down: target.value.endsWith('down'),
                })
              }
            >
              {SORTS.flatMap(({ by, up, down }) => [
                <option key={`${by} up`} value={`${by} up`}>
                  {up}
                </option>,
                <option key={`${by} down`} value={`${by} down`}>
                  {down}
                </option>,
              ])}
            </Select>
            <Button size="sm" variant="primary" onClick={() => setAdding(true)}>
              <Plus aria-hidden className="size-3.5" />
              Add Partner
            </Button>
          </>
        }
      >
        {selected && query.data && !partner && (
          <p role="status" className="mb-4 flex flex-wrap items-center gap-3 text-muted">
            This partner was deleted.
            <Button size="sm" onClick={onDeselect}>
              Show all partners
            </Button>
          </p>
        )}
        {query.error && !query.data ? (
          <ErrorBox error={query.error} prefix="Error loading partners" onRetry={() => void query.refetch()} />
        ) : !query.data ? (
          <Loading label="Loading partners..." />
        ) : query.data.length === 0 ? (
          <Empty>No partners found. Create your first partner!</Empty>
        ) : rows.length === 0 ? (
          <Empty>{search ? `No partners match “${search}”.` : 'No partners here.'}</Empty>
        ) : (
          <Rows caption="List of partners" columns={columns} rows={rows} rowKey={(row) => row.id} />
        )}
        {adding && <AddPartner create={create} onClose={() => setAdding(false)} />}
        {partner && open?.what === 'edit' && (
          <EditPartner key={partner.id} partner={partner} update={update} onClose={close} />
        )}
        {partner && open?.what === 'details' && <PartnerDetails partner={partner} onClose={close} />}
        {partner && open?.what === 'delete' && <DeletePartner partner={partner} onClose={close} />}
      </Card>
    </div>
  );
}

type TotalsOf = ReadonlyMap<string, PartnerTotals>;

/** A partner without clicks and conversions has no totals: zero. */
function orderOf(by: SortBy, totals: TotalsOf): (a: AdminPartner, b: AdminPartner) => number {
  if (!isMetric(by)) return ORDER[by];
  const value = (partner: AdminPartner): number => totals.get(partner.id)?.[by] ?? 0;
  return (a, b) => value(a) - value(b);
}

const isMetric = (by: SortBy): by is Metric => METRICS.some(({ id }) => id === by);

function metricText(metric: Metric, totals: PartnerTotals | undefined): ReactNode {
  if (!totals) return metric === 'clicks' || metric === 'conversions' ? '0' : '–';
  if (metric === 'clicks' || metric === 'conversions') return formatCount(totals[metric]);
  const text = formatMoney(totals[metric], totals.currency);
  if (metric === 'epc' || totals.notConverted.length === 0) return text;
  return (
    <>
      {text}
      <span className="block text-xs text-muted">{`without ${totals.notConverted.map(formatMinor).join(', ')}`}</span>
    </>
  );
}

/** A program with history cannot be undone: it is switched off and hidden, and the dialog says so. */
function DeletePartner({ partner, onClose }: { readonly partner: AdminPartner; readonly onClose: () => void }) {
  const remove = useCommand(deletePartner);
  const hasHistory = partner.links > 0 || partner.conversions > 0;
  const history = `It has ${countOf(partner.links, 'link')} and ${countOf(partner.conversions, 'conversion')}. History is kept. The partner is archived, its links stop working, earned commissions stay payable.`;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Delete ${partner.name}?`}
      description={hasHistory ? history : 'It has no links and no conversions. Its slug cannot be used again.'}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate(partner, { onSettled: onClose })}>
          {hasHistory ? 'Deactivate and hide' : 'Delete partner'}
        </Button>
      </div>
    </Dialog>
  );
}
