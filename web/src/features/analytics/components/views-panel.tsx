import { useQuery } from '@tanstack/react-query';
import { Mail, Pencil, Star, Trash2, Users } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { SaveView } from '@/lib/api/request-schemas';
import type { Website } from '@/lib/api/types';
import { cx } from '@/lib/cx';
import { toastWith } from '@/stores/toasts';
import {
  removeView,
  replaceView,
  restoreView,
  saveView,
  toggleDefaultView,
  viewsQuery,
  type SavedView,
  type ViewKind,
} from '../api/views';
import { applyLayout, type Layout } from '../hooks/use-layout';
import type { AnalyticsState } from '../lib/search';
import { contentOf, isModified, layoutOf, segmentOf, withView } from '../lib/views';

const ReportForm = lazy(() => import('./report-form').then((module) => ({ default: module.ReportForm })));

const MAX_NAME = 60;
const UNDO_MS = 10_000;

interface Props {
  readonly website: Website;
  readonly state: AnalyticsState;
  readonly layout: Layout;
  readonly onChange: (state: AnalyticsState) => void;
  readonly onDone: () => void;
}

/** `emails`: the view is emailed once it is saved. */
type Editing = { readonly kind: ViewKind; readonly view: SavedView | null; readonly emails?: boolean } | null;
type Emailed = Pick<SavedView, 'id' | 'name'>;

/** The views and segments of a website: one is applied by a click, and what is shown is saved as one. */
export function ViewsPanel({ website, state, layout, onChange, onDone }: Props) {
  const query = useQuery(viewsQuery(website.id));
  const [editing, setEditing] = useState<Editing>(null);
  const [emailed, setEmailed] = useState<Emailed | null>(null);
  const { saveChanges, remove, choose } = useViewActions({ website, state, onChange });
  if (emailed)
    return (
      <section aria-label={`Email ${emailed.name}`}>
        <h3 className="mb-2 font-medium break-words">Email {emailed.name}</h3>
        <Suspense fallback={<Loading label="Loading the form" />}>
          <ReportForm
            of={{ content: { viewId: emailed.id, websiteId: website.id } }}
            timezone={website.timezone}
            onDone={onDone}
            onCancel={() => setEmailed(null)}
          />
        </Suspense>
      </section>
    );
  if (editing)
    return (
      <ViewForm
        {...editing}
        website={website}
        state={state}
        layout={layout}
        onSaved={(id, name) => {
          if (id) onChange({ ...state, view: id });
          setEditing(null);
          if (id && editing.emails) setEmailed({ id, name });
          else if (id) onDone();
        }}
        onCancel={() => setEditing(null)}
      />
    );
  if (query.error) return <ErrorBox error={query.error} prefix="Could not load" onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton className="h-40" />;
  const contentFor = ({ id, kind, name, websiteId }: SavedView) => ({
    id,
    name,
    websiteId,
    state: kind === 'segment' ? segmentOf(state) : contentOf(state, layout),
  });
  const active = query.data.find(({ id }) => id === state.view);
  const apply = (view: SavedView) => {
    applyLayout(website.id, layoutOf(view));
    onChange(withView(state, view));
    onDone();
  };
  const list = (kind: ViewKind, label: string) => {
    const views = query.data.filter((view) => view.kind === kind);
    return (
      views.length > 0 && (
        <section aria-label={label}>
          <h3 className="mb-1 text-xs font-medium text-muted">{label}</h3>
          <ul role="list" className="-mx-2">
            {views.map((view) => (
              <ViewRow
                key={view.id}
                view={view}
                domain={website.domain}
                isActive={view === active}
                onApply={() => apply(view)}
                onDefault={() => choose.mutate(view)}
                onEdit={() => setEditing({ kind, view })}
                onEmail={() => setEmailed(view)}
                onRemove={() => remove.mutate(view)}
              />
            ))}
          </ul>
        </section>
      )
    );
  };
  return (
    <div className="flex max-h-[min(32rem,60dvh)] flex-col gap-3 overflow-y-auto">
      {query.data.length === 0 && (
        <p className="text-[0.8125rem] text-muted">
          Save the range, filters, tabs and columns that you use often, and open them with one click.
        </p>
      )}
      {list('view', 'Views')}
      {list('segment', 'Segments')}
      <div className="flex flex-wrap gap-2 border-t border-line pt-3">
        {active && isModified(active, state, layout) && (
          <>
            <Button
              size="sm"
              variant="primary"
              busy={saveChanges.isPending}
              onClick={() => saveChanges.mutate(contentFor(active))}
            >
              Save changes
            </Button>
            <Button size="sm" variant="ghost" onClick={() => apply(active)}>
              Discard changes
            </Button>
          </>
        )}
        <Button size="sm" onClick={() => setEditing({ kind: 'view', view: null })}>
          {active ? 'Save as new view' : 'Save view'}
        </Button>
        <Button
          size="sm"
          onClick={() => {
            if (active?.kind === 'view' && !isModified(active, state, layout)) setEmailed(active);
            else setEditing({ kind: 'view', view: null, emails: true });
          }}
        >
          Email this view
        </Button>
        {state.filters.length > 0 && (
          <Button size="sm" onClick={() => setEditing({ kind: 'segment', view: null })}>
            Save filters as segment
          </Button>
        )}
      </div>
    </div>
  );
}

function useViewActions({ website, state, onChange }: Pick<Props, 'website' | 'state' | 'onChange'>) {
  const saveChanges = useCommand(replaceView);
  const restore = useCommand(restoreView);
  const remove = useCommand(removeView, {
    onSuccess: (_, view) => {
      if (view.id === state.view) onChange({ ...state, view: null });
      const title = view.kind === 'segment' ? 'Segment deleted' : 'View deleted';
      toastWith(title, view.name, { label: 'Undo', run: () => restore.mutate(view) }, UNDO_MS);
    },
  });
  const choose = useCommand(toggleDefaultView(website.id));
  return { saveChanges, remove, choose };
}

interface RowProps {
  readonly view: SavedView;
  readonly domain: string;
  readonly isActive: boolean;
  readonly onApply: () => void;
  readonly onDefault: () => void;
  readonly onEdit: () => void;
  readonly onEmail: () => void;
  readonly onRemove: () => void;
}

function ViewRow({ view, domain, isActive, onApply, onDefault, onEdit, onEmail, onRemove }: RowProps) {
  const { name, kind, isDefault } = view;
  return (
    <li className={cx('flex items-center rounded-lg hover:bg-sunken', isActive && 'bg-brand-soft')}>
      <button
        type="button"
        aria-current={isActive || undefined}
        className="flex min-h-9 min-w-0 flex-1 items-center gap-1.5 rounded-lg px-2 text-left"
        onClick={onApply}
      >
        <span className="truncate">{name}</span>
        {view.websiteId && (
          <>
            <Users aria-hidden className="size-3.5 shrink-0 text-muted" />
            <span className="sr-only">, shared</span>
          </>
        )}
      </button>
      {kind === 'view' && (
        <RowButton
          label={`Open ${domain} with ${name}`}
          title={isDefault ? `${domain} opens with this view` : `Open ${domain} with this view`}
          pressed={isDefault}
          onClick={onDefault}
        >
          <Star aria-hidden className={cx('size-4', isDefault && 'fill-current text-brand')} />
        </RowButton>
      )}
      {kind === 'view' && (
        <RowButton label={`Email ${name}`} title={`Get ${name} by email`} onClick={onEmail}>
          <Mail aria-hidden className="size-4" />
        </RowButton>
      )}
      <RowButton label={`Edit ${name}`} onClick={onEdit}>
        <Pencil aria-hidden className="size-4" />
      </RowButton>
      <RowButton label={`Delete ${name}`} onClick={onRemove}>
        <Trash2 aria-hidden className="size-4" />
      </RowButton>
    </li>
  );
}

interface RowButtonProps {
  readonly label: string;
  readonly title?: string;
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}

const RowButton = ({ label, title, pressed, onClick, children }: RowButtonProps) => (
  <button
    type="button"
    aria-label={label}
    aria-pressed={pressed}
    title={title}
    className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:text-text max-sm:size-10"
    onClick={onClick}
  >
    {children}
  </button>
);

interface FormProps {
  readonly kind: ViewKind;
  /** The one that is renamed or shared; null: a new one. */
  readonly view: SavedView | null;
  readonly website: Website;
  readonly state: AnalyticsState;
  readonly layout: Layout;
  /** With the id of a new one. */
  readonly onSaved: (id: string | null, name: string) => void;
  readonly onCancel: () => void;
}

function ViewForm({ kind, view, website, state, layout, onSaved, onCancel }: FormProps) {
  const form = useRequestForm({
    request: SaveView,
    initial: { name: view?.name ?? '', users: view?.websiteId ? 'website' : 'me' },
    rules: { name: { maxLength: MAX_NAME } },
    command: useCommand(saveView),
    input: ({ name, users }) => ({
      id: view?.id ?? null,
      kind,
      name,
      websiteId: users === 'website' ? website.id : null,
      state: view?.state ?? (kind === 'segment' ? segmentOf(state) : contentOf(state, layout)),
    }),
    onSent: (id) => onSaved(id, form.values.name.trim()),
  });
  const name = form.field('name');
  return (
    <Form form={form} native className="flex flex-col gap-3">
      <TextField
        label={kind === 'segment' ? 'Name of the segment' : 'Name of the view'}
        {...name}
        error={name.error ?? (form.error ? messageOf(form.error) : undefined)}
      />
      <SelectField label="Who can use it" {...form.field('users')}>
        <option value="me">Only me, on all websites</option>
        <option value="website">Everyone with access to {website.domain}</option>
      </SelectField>
      <div className="flex justify-end gap-2">
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton form={form} disabled={!form.isComplete}>
          Save
        </SubmitButton>
      </div>
    </Form>
  );
}
