import { ShieldCheck } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select, TextField } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { AuditEntry } from '@/lib/api/types';
import { describeAction } from '@/lib/labels/audit-actions';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { PagedTable } from '@/components/data/paged-table';
import { checkTrail, trailQuery, type TrailCheck, type TrailFilter } from '../api/audit-trail';

const SUBJECTS = {
  '': 'All actions',
  'account.': 'Accounts',
  'invite.': 'Invite codes',
  'website.': 'Websites',
  'domain.': 'Custom domains',
  'partner.': 'Partners',
  'link.': 'Links',
  'conversion.': 'Conversions',
  'outbox.': 'Outbox',
  'dead_letter.': 'Dead letters',
  'projection.': 'Projections',
  'analyst.': 'Analysts',
} as const;
const OUTCOMES = { '': 'Completed and rejected', done: 'Done', refused: 'Rejected' } as const;

interface Props {
  readonly filter: TrailFilter;
  readonly onFilter: (filter: TrailFilter) => void;
}

export function AuditPanel({ filter, onFilter }: Props) {
  const set = (part: Partial<TrailFilter>) => onFilter({ ...filter, ...part });
  const actor = useDeferredValue(filter.actor.trim());
  const trail = useCursorQuery(trailQuery({ ...filter, actor, object: isId(filter.object) ? filter.object : '' }));
  const zone = browserTimezone();
  const columns: Column<AuditEntry>[] = [
    { id: 'at', header: 'Time', cell: (row) => formatZoned(row.at, zone), className: 'whitespace-nowrap tabular' },
    {
      id: 'action',
      header: 'Action',
      cell: (row) => (
        <>
          <span className="font-medium">{describeAction(row.action)}</span>{' '}
          {row.outcome === 'refused' && <Badge tone="bad">Rejected</Badge>}
          <code className="block text-xs text-muted">{row.action}</code>
        </>
      ),
    },
    { id: 'actor', header: 'By', cell: (row) => row.actorName || (row.actorId ? 'Erased account' : '–') },
    {
      id: 'account',
      header: 'Account',
      cell: (row) =>
        row.accountId ? (
          <button
            type="button"
            className="rounded-md text-left text-brand underline-offset-4 hover:underline"
            onClick={() => set({ object: row.accountId ?? '' })}
          >
            {row.accountName || 'Erased account'}
          </button>
        ) : (
          '–'
        ),
    },
    {
      id: 'from',
      header: 'From',
      cell: (row) => [row.address, row.device].filter(Boolean).join(', ') || '–',
      className: 'whitespace-nowrap',
    },
    { id: 'details', header: 'Details', cell: (row) => <Details details={row.details} />, className: 'min-w-56' },
  ];
  return (
    <div className="flex flex-col gap-5">
      <Check />
      <Card
        title="Audit trail"
        description="All actions, including rejected ones, newest first"
        actions={
          <>
            <SearchField label="Search by who did it" value={filter.actor} onChange={(actor) => set({ actor })} />
            <Select label="Actions" value={filter.action} onChange={(event) => set({ action: event.target.value })}>
              {Object.entries(SUBJECTS).map(([id, label]) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </Select>
            <Select
              label="Outcome"
              value={filter.outcome}
              onChange={(event) => set({ outcome: event.target.value as TrailFilter['outcome'] })}
            >
              {Object.entries(OUTCOMES).map(([id, label]) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </Select>
          </>
        }
      >
        <div className="mb-4 grid gap-3 sm:grid-cols-[minmax(0,2fr)_1fr_1fr]">
          <TextField
            label="Affected object"
            placeholder="Id of an account, website, link or partner"
            value={filter.object}
            error={filter.object && !isId(filter.object) ? 'Enter a whole id.' : undefined}
            onChange={(event) => set({ object: event.target.value.trim() })}
          />
          <TextField
            label="From"
            type="date"
            value={filter.from}
            onChange={(event) => set({ from: event.target.value })}
          />
          <TextField label="To" type="date" value={filter.to} onChange={(event) => set({ to: event.target.value })} />
        </div>
        <PagedTable
          caption="Entries of the audit trail"
          query={trail}
          columns={columns}
          rowKey={(row) => String(row.seq)}
          none="No entries match."
        />
      </Card>
    </div>
  );
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

function Details({ details }: { readonly details: AuditEntry['details'] }) {
  const parts = Object.entries(details).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
  );
  return <span className="text-[0.8125rem] break-words text-muted">{parts.join('; ') || '–'}</span>;
}

/** Recalculates the hashes on request. */
function Check() {
  const [part, setPart] = useState<TrailCheck | null>(null);
  const check = useCommand({ send: (whole: boolean) => checkTrail(whole, setPart) });
  const begin = (whole: boolean) => {
    setPart(null);
    check.mutate(whole);
  };
  return (
    <Card
      title="Integrity check"
      description="Each entry is hashed with all entries before it, and the last hash is anchored in the log every hour, so any change or deletion is detected"
      actions={
        <>
          <Button
            size="sm"
            busy={check.isPending && check.variables === false}
            disabled={check.isPending}
            onClick={() => begin(false)}
          >
            <ShieldCheck aria-hidden className="size-3.5" />
            Check since the last anchor
          </Button>
          <Button
            size="sm"
            busy={check.isPending && check.variables}
            disabled={check.isPending}
            onClick={() => begin(true)}
          >
            Check every entry
          </Button>
        </>
      }
    >
      {check.error ? (
        <ErrorBox error={check.error} />
      ) : part ? (
        <Checked part={part} from={check.variables ? 0 : part.anchored} going={check.isPending} />
      ) : (
        <p className="text-muted">Not checked yet.</p>
      )}
    </Card>
  );
}

function Checked({ part, from, going }: { readonly part: TrailCheck; readonly from: number; readonly going: boolean }) {
  return (
    <div role="status">
      <p className="flex flex-wrap items-center gap-2">
        {part.firstBroken !== null ? (
          <Badge tone="bad">{`Broken at entry ${part.firstBroken}`}</Badge>
        ) : going ? (
          <Badge>Checking</Badge>
        ) : (
          <Badge tone="good">Intact</Badge>
        )}
        {`${formatCount(part.checkedTo - from)} of ${formatCount(part.rows - from)} entries checked`}
        {part.anchored > 0 && `, the last anchor is at entry ${formatCount(part.anchored)}`}
      </p>
      <p className="mt-2 text-[0.8125rem] break-all text-muted">
        Last hash: <code>{part.head}</code>
      </p>
    </div>
  );
}
