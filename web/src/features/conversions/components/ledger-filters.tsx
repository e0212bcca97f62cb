import { Search, SlidersHorizontal, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { LocalForm } from '@/components/form/local-form';
import { Button } from '@/components/ui/button';
import { Select, SelectField, TextField } from '@/components/ui/field';
import { LatePopover } from '@/components/ui/late-popover';
import type { Partner } from '@/lib/api/types';
import { countryName } from '@/lib/labels/countries';
import { formatDay } from '@/lib/dates';
import { networkOf, NETWORKS } from '@/lib/networks/postback';
import { RANGE_LABELS } from '@/lib/dates/ranges';
import { DAY_RANGE_GROUPS, DAY_RANGES } from '../lib/ranges';
import {
  isFiltered,
  KEY_KINDS,
  KINDS,
  NO_FILTERS,
  REPORTERS,
  STATUSES,
  SUBS,
  UNDONE,
  type Filters,
} from '../lib/search';
import { STATUS_LABELS } from './status-badge';

const SEARCH_DELAY_MS = 250;
const KEY_LABELS = {
  site: 'Site key only',
  secret: 'Secret key',
  postback: 'Postback token',
  import: 'Import',
} as const;
const REPORTER_LABELS = {
  sale: 'Sale call',
  lead: 'Lead call',
  postback: 'Postback',
  import: 'Import',
} as const;
const UNDONE_LABELS = { all: 'Shown', yes: 'Only these' } as const;
const KIND_LABELS = { sale: 'Sale', lead: 'Lead' } as const;
const TEXT_LABELS: Record<string, string> = {
  link: 'Link',
  country: 'Country',
  device: 'Device',
  source: 'Source',
  coupon: 'Coupon',
  network: 'Network',
  importId: 'Import',
  ...Object.fromEntries(SUBS.map((name, index) => [name, `Sub-ID ${index + 1}`])),
};

export interface LinkName {
  readonly id: string;
  readonly slug: string;
}

interface Props {
  readonly filters: Filters;
  readonly partners: readonly Partner[];
  readonly links: readonly LinkName[];
  readonly onChange: (change: Partial<Filters>) => void;
}

export function LedgerFilters({ filters, partners, links, onChange }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <div role="group" aria-label="Filters" className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
        <SearchBox value={filters.search ?? ''} onChange={(search) => onChange({ search: search || null })} />
        <Select
          label="Period"
          className="sm:w-40"
          value={filters.range ?? (filters.from || filters.to ? 'custom' : '')}
          onChange={(event) => {
            if (event.target.value === 'custom') setOpen(true);
            else
              onChange({
                range: DAY_RANGES.find((item) => item === event.target.value) ?? null,
                from: null,
                to: null,
              });
          }}
        >
          <option value="">All time</option>
          {DAY_RANGE_GROUPS.map((group) => (
            <optgroup key={group.label} label={group.label}>
              {group.ranges.map((item) => (
                <option key={item} value={item}>
                  {RANGE_LABELS[item]}
                </option>
              ))}
            </optgroup>
          ))}
          <option value="custom">Custom dates…</option>
        </Select>
        <Select
          label="Status"
          className="sm:w-40"
          value={filters.status ?? ''}
          onChange={(event) => onChange({ status: STATUSES.find((item) => item === event.target.value) ?? null })}
        >
          <option value="">All statuses</option>
          {STATUSES.map((item) => (
            <option key={item} value={item}>
              {STATUS_LABELS[item]}
            </option>
          ))}
        </Select>
        <Select
          label="Partner"
          className="sm:w-40"
          value={filters.partner ?? ''}
          onChange={(event) => onChange({ partner: event.target.value || null })}
        >
          <option value="">All partners</option>
          {partners.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </Select>
        <Select
          label="Attribution"
          className="sm:w-40"
          value={filters.attributed ?? ''}
          onChange={(event) =>
            onChange({ attributed: event.target.value === 'yes' ? 'yes' : event.target.value === 'no' ? 'no' : null })
          }
        >
          <option value="">Any attribution</option>
          <option value="yes">Attributed</option>
          <option value="no">Unattributed</option>
        </Select>
        <LatePopover
          label="More filters"
          open={open}
          onOpenChange={setOpen}
          trigger={
            <Button>
              <SlidersHorizontal aria-hidden className="size-4" />
              More filters
            </Button>
          }
        >
          <MoreFilters
            filters={filters}
            links={links}
            onApply={(change) => {
              setOpen(false);
              onChange(change);
            }}
          />
        </LatePopover>
        {isFiltered(filters) && (
          <Button variant="ghost" onClick={() => onChange(NO_FILTERS)}>
            Clear filters
          </Button>
        )}
      </div>
      <Pills filters={filters} links={links} onChange={onChange} />
    </>
  );
}

/** One paste finds one: what is typed is requested once typing pauses. */
function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (next: string) => {
    clearTimeout(timer.current);
    setKnown(next.trim());
    onChange(next.trim());
  };
  return (
    <LocalForm role="search" className="relative col-span-2 sm:w-72" onSubmit={() => send(text)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label="Search conversions"
        placeholder="Transaction, click ID or customer"
        maxLength={200}
        value={text}
        className="h-9 w-full rounded-lg border border-line bg-surface pr-2 pl-9 hover:border-line-strong"
        onChange={(event) => {
          const next = event.target.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => send(next), SEARCH_DELAY_MS);
        }}
      />
    </LocalForm>
  );
}

interface MoreProps {
  readonly filters: Filters;
  readonly links: readonly LinkName[];
  readonly onApply: (change: Partial<Filters>) => void;
}

function MoreFilters({ filters, links, onApply }: MoreProps) {
  const [draft, setDraft] = useState(filters);
  const [sub, setSub] = useState(SUBS.find((name) => filters.texts[name]) ?? 'sub1');
  const set = (change: Partial<Filters>) => setDraft((before) => ({ ...before, ...change }));
  const text = (name: string, value: string) => {
    set({ texts: value ? { ...draft.texts, [name]: value } : without(draft.texts, name) });
  };
  return (
    <LocalForm
      className="grid max-h-[70vh] grid-cols-2 gap-3 overflow-y-auto p-0.5"
      onSubmit={() => {
        const texts = Object.fromEntries(
          Object.entries(draft.texts).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : [])),
        );
        onApply({ ...draft, texts, range: draft.from || draft.to ? null : draft.range });
      }}
    >
      <TextField
        label="From"
        type="date"
        value={draft.from ?? ''}
        max={draft.to ?? '2100-12-31'}
        min="1990-01-01"
        onChange={(event) => set({ from: event.target.value || null })}
      />
      <TextField
        label="To"
        type="date"
        value={draft.to ?? ''}
        min={draft.from ?? '1990-01-01'}
        max="2100-12-31"
        onChange={(event) => set({ to: event.target.value || null })}
      />
      <SelectField
        label="Link"
        className="col-span-2"
        value={draft.texts['link'] ?? ''}
        onChange={(event) => text('link', event.target.value)}
      >
        <option value="">Any link</option>
        {links.map((item) => (
          <option key={item.id} value={item.id}>
            /{item.slug}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Country"
        placeholder="DE"
        maxLength={2}
        value={draft.texts['country'] ?? ''}
        onChange={(event) => text('country', event.target.value.toUpperCase())}
      />
      <SelectField
        label="Device"
        value={draft.texts['device'] ?? ''}
        onChange={(event) => text('device', event.target.value)}
      >
        <option value="">Any device</option>
        {['desktop', 'mobile', 'tablet'].map((item) => (
          <option key={item}>{item}</option>
        ))}
      </SelectField>
      <TextField
        label="Source"
        value={draft.texts['source'] ?? ''}
        onChange={(event) => text('source', event.target.value)}
      />
      <TextField
        label="Coupon"
        value={draft.texts['coupon'] ?? ''}
        onChange={(event) => text('coupon', event.target.value)}
      />
      <SelectField label="Sub-ID" value={sub} onChange={(event) => setSub(event.target.value)}>
        {SUBS.map((name) => (
          <option key={name} value={name}>
            {TEXT_LABELS[name]}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Sub-ID value"
        value={draft.texts[sub] ?? ''}
        onChange={(event) => text(sub, event.target.value)}
      />
      <SelectField
        label="Kind"
        value={draft.kind ?? ''}
        onChange={(event) => set({ kind: KINDS.find((item) => item === event.target.value) ?? null })}
      >
        <option value="">Sales and leads</option>
        {KINDS.map((item) => (
          <option key={item} value={item}>
            {KIND_LABELS[item]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Reported by"
        value={draft.reportedBy ?? ''}
        onChange={(event) => set({ reportedBy: REPORTERS.find((item) => item === event.target.value) ?? null })}
      >
        <option value="">Any</option>
        {REPORTERS.map((item) => (
          <option key={item} value={item}>
            {REPORTER_LABELS[item]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Network"
        value={draft.texts['network'] ?? ''}
        onChange={(event) => text('network', event.target.value)}
      >
        <option value="">Any network</option>
        {NETWORKS.filter(({ kind }) => kind !== 'generic').map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Sales of undone imports"
        value={draft.undone ?? ''}
        onChange={(event) => set({ undone: UNDONE.find((item) => item === event.target.value) ?? null })}
      >
        <option value="">Hidden</option>
        {UNDONE.map((item) => (
          <option key={item} value={item}>
            {UNDONE_LABELS[item]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Reported with"
        className="col-span-2"
        value={draft.keyKind ?? ''}
        onChange={(event) => set({ keyKind: KEY_KINDS.find((item) => item === event.target.value) ?? null })}
      >
        <option value="">Any key</option>
        {KEY_KINDS.map((item) => (
          <option key={item} value={item}>
            {KEY_LABELS[item]}
          </option>
        ))}
      </SelectField>
      <Button type="submit" variant="primary" className="col-span-2">
        Apply
      </Button>
    </LocalForm>
  );
}

/** The filters in force that have no control of their own in the row above. */
function Pills({ filters, links, onChange }: Omit<Props, 'partners'>) {
  const days = filters.from || filters.to;
  const pills: readonly { readonly id: string; readonly text: string; readonly without: Partial<Filters> }[] = [
    ...(days
      ? [
          {
            id: 'days',
            text: `${filters.from ? formatDay(filters.from) : 'Beginning'} – ${filters.to ? formatDay(filters.to) : 'today'}`,
            without: { from: null, to: null },
          },
        ]
      : []),
    ...Object.entries(filters.texts).map(([name, value]) => {
      return {
        id: name,
        text:
          name === 'importId'
            ? 'Sales of one import'
            : `${TEXT_LABELS[name] ?? name}: ${shownValue(name, value, links)}`,
        without: { texts: without(filters.texts, name) },
      };
    }),
    ...(filters.kind ? [{ id: 'kind', text: `${KIND_LABELS[filters.kind]}s only`, without: { kind: null } }] : []),
    ...(filters.reportedBy
      ? [{ id: 'by', text: `Reported by ${REPORTER_LABELS[filters.reportedBy]}`, without: { reportedBy: null } }]
      : []),
    ...(filters.undone
      ? [{ id: 'undone', text: `Sales of undone imports: ${UNDONE_LABELS[filters.undone]}`, without: { undone: null } }]
      : []),
    ...(filters.keyKind
      ? [{ id: 'key', text: `Reported with ${KEY_LABELS[filters.keyKind]}`, without: { keyKind: null } }]
      : []),
  ];
  if (pills.length === 0) return null;
  return (
    <ul aria-label="Filters in force" className="mt-2 flex flex-wrap gap-1.5">
      {pills.map((pill) => (
        <li
          key={pill.id}
          className="inline-flex h-8 max-w-full items-center gap-1 rounded-lg border border-brand/30 bg-brand-soft pr-1 pl-3 text-[0.8125rem] max-sm:h-10 max-sm:pr-0"
        >
          <span className="truncate">{pill.text}</span>
          <button
            type="button"
            aria-label={`Remove filter ${pill.text}`}
            className="grid size-6 shrink-0 place-items-center rounded-md hover:bg-surface max-sm:size-10"
            onClick={() => onChange(pill.without)}
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function shownValue(name: string, value: string, links: readonly LinkName[]): string {
  if (name === 'link') return `/${links.find((item) => item.id === value)?.slug ?? value}`;
  if (name === 'country') return countryName(value);
  return name === 'network' ? (networkOf(value)?.label ?? value) : value;
}

const without = (texts: Filters['texts'], name: string): Filters['texts'] =>
  Object.fromEntries(Object.entries(texts).filter(([other]) => other !== name));
