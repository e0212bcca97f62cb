import { useQuery } from '@tanstack/react-query';
import { Download, ListPlus, Plus, Upload, Webhook } from 'lucide-react';
import { useState } from 'react';
import { More } from '@/components/data/more';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { Link, Website } from '@/lib/api/types';
import { partnersQuery } from '@/lib/api/shared-queries';
import { useCommands } from '@/stores/commands';
import { BulkBar, BulkProgress } from './bulk-parts';
import { BulkCreate, CreateLink, ImportLinks, PostbackDialog } from './dialogs';
import { LinkDialog, type OpenLink } from './link-actions';
import { linkColumns } from './link-columns';
import { linksFile } from '../api/import';
import { filteredLinksQuery, labelsQuery } from '../api/links';
import { allOf } from '../lib/selection';
import { ARCHIVED, RANGE_NAMES, SORTS, type LinksFilter, type LinksState } from '../lib/search';

interface Props {
  readonly website: Website;
  readonly state: LinksState;
  readonly onChange: (part: Partial<LinksState>) => void;
  readonly onDetails: (link: Link) => void;
}

const SORT_NAMES = {
  created: 'Newest first',
  clicks: 'Most clicks',
  conversions: 'Most conversions',
  earnings: 'Highest revenue',
  epc: 'Highest EPC',
  slug: 'Slug A–Z',
};
const ARCHIVED_NAMES = { exclude: 'Not archived', include: 'With archived', only: 'Archived only' };

/** All links of a website: search, labels, order, and what may be done with one or many. */
export function LinksPanel({ website, state, onChange, onDetails }: Props) {
  const links = useCursorQuery(filteredLinksQuery(website.id, state));
  const labels = useQuery(labelsQuery(website.id));
  const partners = useQuery(partnersQuery);
  const [making, setMaking] = useState<'one' | 'many' | 'file' | null>(null);
  const [like, setLike] = useState<Link | null>(null);
  const [open, setOpen] = useState<OpenLink | null>(null);
  const [postback, setPostback] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const [bulk, setBulk] = useState<string | null>(null);
  useCommands([{ id: 'create-link', title: 'Create link', group: 'Links', keys: 'c', run: () => setMaking('one') }]);
  const rows = links.rows ?? [];
  const selected = rows.filter((row) => chosen.has(row.id)).map((row) => row.id);
  const choose = (next: ReadonlySet<string>) => {
    setAll(false);
    setChosen(next);
  };
  const hasAll = rows.length > 0 && selected.length === rows.length;
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  const columns = linkColumns({
    chosen,
    onToggle: toggle,
    onOpen: setOpen,
    onDetails,
    onPartner: (partner) => onChange({ partner }),
    onDuplicate: setLike,
    range: state.range,
    partners: partners.data ?? [],
  });
  return (
    <Card
      title="Links"
      description={`Clicks, conversions and revenue: ${RANGE_NAMES[state.range].toLowerCase()}, bots excluded`}
      actions={
        <>
          <Button size="sm" onClick={() => setPostback(true)}>
            <Webhook aria-hidden className="size-3.5" />
            Postback URL
          </Button>
          <a href={linksFile(website.id, state)} download className={buttonClass({ size: 'sm' })}>
            <Download aria-hidden className="size-3.5" />
            Export CSV
          </a>
          <Button size="sm" onClick={() => setMaking('file')}>
            <Upload aria-hidden className="size-3.5" />
            Import CSV
          </Button>
          <Button size="sm" onClick={() => setMaking('many')}>
            <ListPlus aria-hidden className="size-3.5" />
            Bulk create
          </Button>
          <Button size="sm" variant="primary" onClick={() => setMaking('one')}>
            <Plus aria-hidden className="size-3.5" />
            Create link
          </Button>
        </>
      }
    >
      <Filters state={state} onChange={onChange} labels={labels.data} partners={partners.data ?? []} />
      {bulk && <BulkProgress key={bulk} id={bulk} onUndone={setBulk} onClose={() => setBulk(null)} />}
      {selected.length > 0 && (
        <BulkBar
          websiteId={website.id}
          selection={isAll ? allOf(state) : { ids: selected }}
          count={selected.length}
          hasMore={hasAll && links.hasNext}
          partners={partners.data ?? []}
          labels={labels.data}
          onSelectAll={() => setAll(true)}
          onStarted={(id) => {
            choose(new Set());
            setBulk(id);
          }}
          onClear={() => choose(new Set())}
        />
      )}
      {links.error ? (
        <ErrorBox error={links.error} prefix="Error loading links" onRetry={links.retry} />
      ) : !links.rows ? (
        <Loading label="Loading links" />
      ) : rows.length === 0 ? (
        isNarrowed(state) ? (
          <Empty title="No links match">Try another search, or clear the filters.</Empty>
        ) : (
          <Empty title="No links yet">Create your first tracked link to start counting clicks.</Empty>
        )
      ) : (
        <>
          <label className="mb-2 inline-flex items-center gap-3 px-3 text-[0.8125rem] max-sm:min-h-10">
            <input
              type="checkbox"
              className="block size-4 accent-brand"
              checked={hasAll}
              onChange={() => choose(new Set(hasAll ? [] : rows.map((row) => row.id)))}
            />
            Select all
          </label>
          <Rows caption={`Links of ${website.domain}`} columns={columns} rows={rows} rowKey={(row) => row.id} />
        </>
      )}
      <More of={links} size="sm" className="mt-3 text-center">
        Show more links
      </More>
      {open && <LinkDialog open={open} onClose={() => setOpen(null)} />}
      {postback && <PostbackDialog website={website} onClose={() => setPostback(false)} />}
      {making === 'one' && <CreateLink websites={[website]} partners={partners} onClose={() => setMaking(null)} />}
      {like && <CreateLink websites={[website]} partners={partners} like={like} onClose={() => setLike(null)} />}
      {making === 'file' && <ImportLinks website={website} onClose={() => setMaking(null)} />}
      {making === 'many' && (
        <BulkCreate websites={[website]} partners={partners.data ?? []} onClose={() => setMaking(null)} />
      )}
    </Card>
  );
}

interface FilterProps {
  readonly state: LinksFilter;
  readonly onChange: (part: Partial<LinksFilter>) => void;
  readonly labels: { readonly tags: readonly Label[]; readonly folders: readonly Label[] } | undefined;
  readonly partners: readonly { readonly id: string; readonly name: string }[];
}

interface Label {
  readonly name: string;
  readonly links: number;
}

function Filters({ state, onChange, labels, partners }: FilterProps) {
  return (
    <div role="search" aria-label="Links" className="mb-4 flex flex-wrap items-center gap-2">
      <SearchField
        label="Search links"
        value={state.search ?? ''}
        onChange={(text) => onChange({ search: text === '' ? null : text })}
      />
      <Choice
        label="Tag"
        every="All tags"
        value={state.tag}
        options={(labels?.tags ?? []).map(({ name, links }) => [name, `${name} (${links})`])}
        onChange={(tag) => onChange({ tag })}
      />
      <Choice
        label="Folder"
        every="All folders"
        value={state.folder}
        options={(labels?.folders ?? []).map(({ name, links }) => [name, `${name} (${links})`])}
        onChange={(folder) => onChange({ folder })}
      />
      <Choice
        label="Partner"
        every="All partners"
        value={state.partner}
        options={partners.map(({ id, name }) => [id, name])}
        onChange={(partner) => onChange({ partner })}
      />
      <Select
        label="Archived links"
        value={state.archived}
        onChange={(event) => onChange({ archived: ARCHIVED.find((item) => item === event.target.value) ?? 'exclude' })}
      >
        {ARCHIVED.map((item) => (
          <option key={item} value={item}>
            {ARCHIVED_NAMES[item]}
          </option>
        ))}
      </Select>
      <Select
        label="Sort"
        value={state.sort}
        onChange={(event) => onChange({ sort: SORTS.find((item) => item === event.target.value) ?? 'created' })}
      >
        {SORTS.map((item) => (
          <option key={item} value={item}>
            {SORT_NAMES[item]}
          </option>
        ))}
      </Select>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly every: string;
  readonly value: string | null;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string | null) => void;
}

function Choice({ label, every, value, options, onChange }: ChoiceProps) {
  return (
    <Select label={label} value={value ?? ''} onChange={(event) => onChange(event.target.value || null)}>
      <option value="">{every}</option>
      {options.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

const isNarrowed = ({ search, tag, folder, partner, archived }: LinksFilter): boolean =>
  Boolean(search ?? tag ?? folder ?? partner) || archived === 'only';
