import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download, Search } from 'lucide-react';
import { useId, useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { ProofDialog } from '@/components/security/proof-dialog';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { VisitorQuery as VisitorQueryBounds } from '@/lib/api/request-schemas';
import type { Website } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { downloadBlob } from '@/lib/files/download';
import { countOf, formatCount, formatMinor } from '@/lib/format';
import { userQuery } from '@/lib/api/shared-queries';
import {
  erasuresQuery,
  eraseVisitor,
  exportVisitor,
  findVisitor,
  type Found,
  type IdKind,
  type VisitorData as Data,
  type VisitorQuery,
} from '../api/visitor-data';

const KINDS: Record<IdKind, string> = {
  visitor_id: 'Visitor ID',
  customer_id: 'Customer ID',
  click_id: 'Click ID',
  order_id: 'Order ID',
};
const EFFECTS: Record<Data['stored'][number]['onErase'], { text: string; tone: Tone }> = {
  erased: { text: 'Will be erased', tone: 'good' },
  emptied: { text: 'Personal data will be erased', tone: 'good' },
  kept: { text: 'Will be kept', tone: 'warn' },
};
/** What an erasure counts, where its name is no word of people: one, and several. */
const COUNTED: Readonly<Record<string, [string, string]>> = {
  pageviews: ['page view', 'page views'],
  events: ['custom event', 'custom events'],
  samples: ['rejected request', 'rejected requests'],
};
const STATES = {
  running: { text: 'Running', tone: 'brand' },
  live: { text: 'Removed from reports', tone: 'good' },
  done: { text: 'Done', tone: 'good' },
} as const;

/** What is stored of one person: find, download, erase; and the erasures of the past. */
export function VisitorData({ website }: { readonly website: Website }) {
  const find = useCommand(findVisitor(website.id));
  const form = useRequestForm({
    request: VisitorQueryBounds,
    initial: { kind: 'visitor_id' as IdKind, value: '' },
    onSubmit: (query) => find.mutate({ ...query, event: '' }),
  });
  return (
    <section aria-label={`Visitor data of ${website.domain}`}>
      <h3 className="font-medium">Visitor data</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        When a person requests their data or its deletion, find them by an ID from your systems or a network.
      </p>
      <Form form={form}>
        <div className="grid items-start gap-4 sm:grid-cols-[12rem_1fr]">
          <SelectField label="Kind of ID" {...form.field('kind')}>
            {Object.entries(KINDS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label={KINDS[form.values.kind]}
            autoComplete="off"
            spellCheck={false}
            hint="Exactly as it was sent."
            {...form.field('value')}
          />
        </div>
        <SubmitButton
          form={form}
          variant="outline"
          className="self-start"
          busy={find.isPending}
          disabled={!form.isComplete}
        >
          <Search aria-hidden className="size-4" />
          Find
        </SubmitButton>
      </Form>
      {find.error && (
        <div className="mt-4">
          <ErrorBox error={find.error} prefix="Failed to find the visitor" />
        </div>
      )}
      {find.data && <Result website={website} found={find.data} onErased={find.reset} />}
      <Erasures website={website} />
    </section>
  );
}

interface ResultProps {
  readonly website: Website;
  readonly found: Found;
  readonly onErased: () => void;
}

function Result({ website, found: { query, data }, onErased }: ResultProps) {
  const [erasing, setErasing] = useState(false);
  const save = useCommand(exportVisitor(website.id), {
    onSuccess: (blob) => downloadBlob('visitor-data.json', blob),
  });
  const own = data.ownTexts.length > 0 && (
    <List
      title="Your own texts with this ID (delete them there)"
      entries={data.ownTexts.map(({ what, name, path, until }, index) => ({
        key: index,
        name: what,
        text: name,
        link: path,
        detail: until,
      }))}
    />
  );
  if (data.stored.length === 0)
    return (
      <div className="mt-4 flex flex-col gap-5">
        <p role="status" className="text-muted">
          Nothing is stored under this ID.
        </p>
        {own}
      </div>
    );
  return (
    <div className="mt-5 flex flex-col gap-5">
      <List
        title="What is stored"
        entries={data.stored.map((part) => ({
          name: `${part.what}: ${formatCount(part.count)}`,
          badge: EFFECTS[part.onErase],
          text: part.why,
          detail:
            part.firstAt && part.lastAt
              ? `${formatZoned(part.firstAt, website.timezone)} – ${formatZoned(part.lastAt, website.timezone)}`
              : undefined,
        }))}
      />
      {data.conversions.length > 0 && (
        <List
          title="Conversions"
          entries={data.conversions.map((sale) => ({
            name: `${sale.event} ${sale.txid}`,
            badge: { text: sale.status, tone: 'neutral' },
            text: `${formatMinor(sale.amount)}, commission ${formatMinor(sale.commission)}`,
            detail: formatZoned(sale.occurredAt, website.timezone),
          }))}
        />
      )}
      {own}
      <List
        title="What is not erased, and why"
        entries={data.kept.map(({ what, why }) => ({ name: what, text: why }))}
      />
      <div className="flex flex-wrap gap-2">
        <Button busy={save.isPending} onClick={() => save.mutate(query)}>
          <Download aria-hidden className="size-4" />
          Export
        </Button>
        <Button variant="danger" onClick={() => setErasing(true)}>
          Erase
        </Button>
      </div>
      {erasing && <Erase website={website} query={query} onErased={onErased} onClose={() => setErasing(false)} />}
    </div>
  );
}

interface EraseProps {
  readonly website: Website;
  readonly query: VisitorQuery;
  readonly onErased: () => void;
  readonly onClose: () => void;
}

function Erase({ website, query, onErased, onClose }: EraseProps) {
  const erase = useCommand(eraseVisitor(website.id));
  const user = useQuery(userQuery).data;
  if (!user) return null;
  return (
    <ProofDialog
      title="Erase this visitor?"
      description={`This erases the person’s data at ${website.domain}. Totals, orders and amounts stay. This can’t be undone.`}
      action="Erase"
      danger
      user={user}
      run={async (proof) => {
        await erase.mutateAsync({ ...proof, ...query });
        onErased();
      }}
      onClose={onClose}
    />
  );
}

interface Entry {
  readonly key?: number;
  readonly name: string;
  /** Page of the app where it is changed. */
  readonly link?: string;
  readonly badge?: { readonly text: string; readonly tone: Tone };
  readonly text: string;
  readonly detail?: string | undefined;
}

function List({ title, entries }: { readonly title: string; readonly entries: readonly Entry[] }) {
  const id = useId();
  return (
    <div>
      <h4 id={id} className="mb-2 text-[0.8125rem] font-medium">
        {title}
      </h4>
      <ul aria-labelledby={id} className="divide-y divide-line rounded-lg border border-line">
        {entries.map((entry) => (
          <li key={entry.key ?? entry.name} className="px-3 py-2.5">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              {entry.link ? (
                <Link to={entry.link} className="font-medium underline">
                  {entry.name}
                </Link>
              ) : (
                <span className="font-medium wrap-anywhere">{entry.name}</span>
              )}
              {entry.badge && <Badge tone={entry.badge.tone}>{entry.badge.text}</Badge>}
              {entry.detail && <span className="text-xs text-muted">{entry.detail}</span>}
            </div>
            <p className="mt-0.5 text-[0.8125rem] wrap-anywhere text-muted">{entry.text}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Erasures({ website }: { readonly website: Website }) {
  const erasures = useQuery(erasuresQuery(website.id));
  if (erasures.error)
    return (
      <div className="mt-4">
        <ErrorBox error={erasures.error} onRetry={() => void erasures.refetch()} />
      </div>
    );
  if (!erasures.data) return <Loading label="Loading erasures" className="py-4" />;
  if (erasures.data.length === 0) return null;
  return (
    <div className="mt-5">
      <List
        title="Erased visitors"
        entries={erasures.data.map((erasure) => ({
          name: formatZoned(erasure.erasedAt, website.timezone),
          badge: STATES[erasure.state],
          text: `Found by ${KINDS[erasure.namedBy].toLowerCase().replace('id', 'ID')}: ${Object.entries(erasure.counts)
            .map(([what, count]) => countOf(count, ...(COUNTED[what] ?? [what.replace(/s$/, ''), what])))
            .join(', ')}`,
          detail: erasure.erasedBy ?? undefined,
        }))}
      />
    </div>
  );
}
