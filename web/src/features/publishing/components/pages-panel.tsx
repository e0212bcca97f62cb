// The pages of a site and its menu.
import { ArrowDown, ArrowUp, Pencil, Plus } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { OpenDocument } from '../hooks/use-document';
import { MAX_MENU, MAX_PAGES, type SiteDocument, type SitePage } from '../lib/document';
import { addPage, changePage, moveInMenu, removePage, showInMenu } from '../lib/site-edits';
import type { SiteFaults } from './site-editor';

const AddPageDialog = lazy(() => import('./page-dialogs').then((module) => ({ default: module.AddPageDialog })));
const PageDialog = lazy(() => import('./page-dialogs').then((module) => ({ default: module.PageDialog })));

interface Props {
  readonly document: SiteDocument;
  readonly faults: SiteFaults;
  readonly change: OpenDocument<SiteDocument>['change'];
  /** The page that is open at first. */
  readonly editing: string | null;
  readonly linkTo: (page: SitePage) => ReactNode;
}

export function PagesPanel({ document, faults, change, editing: first, linkTo }: Props) {
  const [editing, setEditing] = useState(first);
  const [shown, setShown] = useState(first);
  if (first !== shown) {
    setShown(first);
    setEditing(first);
  }
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
      <Suspense fallback={null}>
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
      </Suspense>
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
