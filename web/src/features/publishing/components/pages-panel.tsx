// The pages of a site and its menu.
import { ArrowDown, ArrowUp, Pencil, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Dialog } from '@/components/ui/dialog';
import { TextArea, TextField } from '@/components/ui/field';
import type { OpenDocument } from '../hooks/use-document';
import { MAX_MENU, MAX_PAGES, type SiteDocument, type SitePage } from '../lib/document';
import { addPage, changePage, moveInMenu, removePage, showInMenu } from '../lib/site-edits';
import type { SiteFaults } from './site-editor';

interface Props {
  readonly document: SiteDocument;
  readonly faults: SiteFaults;
  readonly change: OpenDocument<SiteDocument>['change'];
  readonly linkTo: (page: SitePage) => ReactNode;
}

export function PagesPanel({ document, faults, change, linkTo }: Props) {
  const [editing, setEditing] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const edited = document.pages.find(({ id }) => id === editing);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Card
        title="Pages"
        actions={
          <Button
            size="sm"
            variant="primary"
            disabled={document.pages.length >= MAX_PAGES}
            onClick={() => setAdding(true)}
          >
            <Plus aria-hidden className="size-4" />
            Add page
          </Button>
        }
      >
        <ul aria-label="Pages" className="flex flex-col divide-y divide-line">
          {document.pages.map((page, index) => {
            const fault = faults[`pages.${index}.path`] ?? faults[`pages.${index}.title`];
            return (
              <li key={page.id} className="flex items-center gap-3 py-2.5">
                <div className="min-w-0 flex-1">
                  <p className="truncate font-medium">{linkTo(page)}</p>
                  <p className="truncate text-[0.8125rem] text-muted">
                    {`/${page.path}${page.is_indexed ? '' : ' · hidden from search engines'}`}
                  </p>
                  {fault && <p className="text-[0.8125rem] text-bad">{fault}</p>}
                </div>
                <Button
                  size="icon"
                  variant="ghost"
                  aria-label={`Title and path of ${page.title}`}
                  onClick={() => setEditing(page.id)}
                >
                  <Pencil aria-hidden className="size-4" />
                </Button>
              </li>
            );
          })}
        </ul>
      </Card>
      <Menu document={document} change={change} />
      {edited && (
        <PageDialog
          page={edited}
          faults={faults}
          at={`pages.${document.pages.indexOf(edited)}`}
          isInMenu={document.navigation.includes(edited.id)}
          canJoinMenu={document.navigation.length < MAX_MENU}
          onClose={() => setEditing(null)}
          onChange={(page, field) => change('Edit page', (before) => changePage(before, page), `${page.id}.${field}`)}
          onMenu={(shown) => change('Change menu', (before) => showInMenu(before, edited.id, shown))}
          onRemove={() => {
            setEditing(null);
            change(`Remove page ${edited.title}`, (before) => removePage(before, edited.id));
          }}
        />
      )}
      {adding && (
        <AddPageDialog
          onClose={() => setAdding(false)}
          onAdd={(title) => {
            setAdding(false);
            const id = crypto.randomUUID();
            change(`Add page ${title}`, (before) => addPage(before, title, id));
          }}
        />
      )}
    </div>
  );
}

function Menu({ document, change }: Pick<Props, 'document' | 'change'>) {
  const pages = document.navigation.flatMap((id) => document.pages.filter((page) => page.id === id));
  return (
    <Card title="Menu" description="Links at the top of each page, in this order">
      {pages.length === 0 ? (
        <p className="text-muted">No page is in the menu. Open a page to add it.</p>
      ) : (
        <ol aria-label="Menu" className="flex flex-col gap-1">
          {pages.map((page, index) => {
            const name = page.short_title || page.title;
            return (
              <li key={page.id} className="flex items-center">
                <span className="min-w-0 flex-1 truncate">{name}</span>
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Move ${name} up`}
                  aria-disabled={index === 0}
                  onClick={() => change('Change menu', (before) => moveInMenu(before, index, index - 1))}
                >
                  <ArrowUp aria-hidden className="size-4" />
                </Button>
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Move ${name} down`}
                  aria-disabled={index === pages.length - 1}
                  onClick={() => change('Change menu', (before) => moveInMenu(before, index, index + 1))}
                >
                  <ArrowDown aria-hidden className="size-4" />
                </Button>
              </li>
            );
          })}
        </ol>
      )}
    </Card>
  );
}

interface PageDialogProps {
  readonly page: SitePage;
  readonly faults: SiteFaults;
  readonly at: string;
  readonly isInMenu: boolean;
  readonly canJoinMenu: boolean;
  readonly onClose: () => void;
  readonly onChange: (page: SitePage, field: string) => void;
  readonly onMenu: (shown: boolean) => void;
  readonly onRemove: () => void;
}

function PageDialog({ page, faults, at, isInMenu, canJoinMenu, onClose, onChange, onMenu, onRemove }: PageDialogProps) {
  const [removing, setRemoving] = useState(false);
  const isHome = page.path === '' && faults[`${at}.path`] === undefined;
  const [wasHome] = useState(isHome);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Page"
      description="Changes are saved automatically."
    >
      <div className="flex flex-col gap-4">
        <TextField
          label="Title"
          hint="For browsers, search engines and previews"
          maxLength={120}
          value={page.title}
          error={faults[`${at}.title`]}
          onChange={(event) => onChange({ ...page, title: event.target.value }, 'title')}
        />
        <TextField
          label="Short title"
          hint="For the menu. Blank: the title"
          maxLength={40}
          value={page.short_title}
          error={faults[`${at}.short_title`]}
          onChange={(event) => onChange({ ...page, short_title: event.target.value }, 'short_title')}
        />
        {wasHome ? (
          <p className="text-muted">This is the home page: its path is empty.</p>
        ) : (
          <TextField
            label="Path"
            hint="Lowercase letters, digits and hyphens, at most three parts, such as reviews/tents"
            maxLength={120}
            value={page.path}
            error={faults[`${at}.path`]}
            onChange={(event) => onChange({ ...page, path: event.target.value }, 'path')}
          />
        )}
        <TextArea
          label="Description"
          hint="Search engines show it below the title."
          rows={3}
          maxLength={300}
          value={page.description}
          error={faults[`${at}.description`]}
          onChange={(event) => onChange({ ...page, description: event.target.value }, 'description')}
        />
        <Check label="Show in the menu" checked={isInMenu} disabled={!isInMenu && !canJoinMenu} onChange={onMenu} />
        <Check
          label="Let search engines list it"
          checked={page.is_indexed}
          onChange={(is_indexed) => onChange({ ...page, is_indexed }, 'is_indexed')}
        />
        <div className="flex justify-between gap-2">
          {!wasHome && <Button onClick={() => setRemoving(true)}>Remove page</Button>}
          <Button variant="primary" className="ml-auto" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
      {removing && (
        <ConfirmDialog
          title="Remove this page?"
          description="Links to it stop working when you publish. You can undo this, and restore an earlier version."
          action="Remove page"
          onClose={() => setRemoving(false)}
          onConfirm={onRemove}
        />
      )}
    </Dialog>
  );
}

function AddPageDialog({ onClose, onAdd }: { readonly onClose: () => void; readonly onAdd: (title: string) => void }) {
  const [title, setTitle] = useState('');
  const [tried, setTried] = useState(false);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Add page">
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (title.trim()) onAdd(title.trim());
        }}
      >
        <TextField
          label="Title"
          maxLength={120}
          value={title}
          error={tried && !title.trim() ? 'Enter a title' : undefined}
          onChange={(event) => setTitle(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            Add page
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
