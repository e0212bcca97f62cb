// The editor of one page: its blocks on one side, the preview on the other.
import { useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowLeft, ArrowUp, Copy, ExternalLink, History, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { useMedia } from '@/lib/browser/media';
import { pageQuery, savePage, versionQuery } from '../api/sites';
import { useDocument, type OpenDocument } from '../hooks/use-document';
import { useUndoKeys } from '../hooks/use-undo-keys';
import { withText } from '../lib/block-texts';
import { anchorNamed, anchorOf, labelOf, nameOf } from '../lib/blocks';
import { MAX_BLOCKS, type Block, type PageDocument } from '../lib/document';
import { changeBlock, duplicateBlock, insertBlock, moveBlock, removeBlock } from '../lib/edits';
import { faultsOf, type Fault } from '../lib/faults';
import { isPage } from '../lib/shape';
import { pageNames } from '../lib/markdown-names';
import { nextPlaceholder } from '../lib/placeholders';
import type { Placeholder, SavedPage, Site } from '../lib/types';
import { BlockFields, type WantedText } from './block-context';
import { BlockList } from './block-list';
import { Preview } from './preview';
import { PublishButton } from './publish-buttons';
import { SaveStatus, UndoButtons } from './save-status';

const AddBlockDialog = lazy(() => import('./add-block').then((module) => ({ default: module.AddBlockDialog })));
const BlockForm = lazy(() => import('./block-form').then((module) => ({ default: module.BlockForm })));
const PageConflict = lazy(() => import('./conflict').then((module) => ({ default: module.PageConflict })));
const PageVersions = lazy(() => import('./versions').then((module) => ({ default: module.PageVersions })));

interface Props {
  readonly site: Site;
  readonly saved: SavedPage;
  /** A placeholder to begin with: its block's name in the page, its field and its text. */
  readonly wanted?: (WantedText & { readonly block: string }) | null;
}

const NO_BLOCKS: PageDocument = { blocks: [] };

export function PageEditor({ site, saved, wanted: first = null }: Props) {
  const client = useQueryClient();
  const pageId = saved.id;
  const [versions, setVersions] = useState(false);
  const [openId, setOpenId] = useState<string | null>(null);
  /** On narrow screens one of both is shown. */
  const [isPreviewed, setIsPreviewed] = useState(false);
  const isWide = useMedia('(min-width: 1024px)');
  const document = useDocument<PageDocument>({
    name: `page:${pageId}`,
    version: saved.version,
    value: isPage(saved.document) ? saved.document : NO_BLOCKS,
    conflict: 'page_changed',
    isValid: isPage,
    write: async (page, basedOn, restoredFrom) => {
      const made = await savePage(site.id, pageId, {
        document: page,
        basedOn,
        ...(restoredFrom === undefined ? {} : { restoredFrom }),
      });
      return made.version;
    },
  });
  useUndoKeys(document.undo, document.redo);
  const { value: page, saved: state, rejection } = document;
  const faults = useMemo(() => (rejection ? faultsOf(rejection.error, rejection.sent) : []), [rejection]);
  const open = page.blocks.find(({ id }) => id === openId) ?? null;
  const [wanted, setWanted] = useState<WantedText | null>(null);
  const lastPlace = useRef<{ place: Placeholder; index: number } | null>(null);
  const openPlacement = (placement: string, text: WantedText | null) => {
    const block = page.blocks.find((each) => anchorOf(each) === anchorNamed(placement));
    if (!block) return;
    setOpenId(block.id);
    setWanted(text);
    setIsPreviewed(false);
  };
  const shownFirst = useRef<object | null>(null);
  useEffect(() => {
    if (!first || shownFirst.current === first) return;
    shownFirst.current = first;
    openPlacement(first.block, first);
  });
  const blocks = (
    <Blocks
      site={site}
      document={document}
      faults={faults}
      open={open}
      wanted={wanted}
      onOpen={(id) => {
        setWanted(null);
        setOpenId(id);
      }}
    />
  );
  const preview = (
    <Preview
      siteId={site.id}
      pageId={pageId}
      page={page}
      document={null}
      anchor={open ? anchorOf(open) : undefined}
      onSelect={(anchor) => {
        const block = page.blocks.find((each) => anchorOf(each) === anchor);
        if (!block) return;
        setWanted(null);
        setOpenId(block.id);
        setIsPreviewed(false);
      }}
      onText={({ blockId, shown, text }) => {
        const block = page.blocks.find(({ id }) => id === blockId);
        if (!block) return;
        document.change(
          `Edit ${labelOf(block.type)}`,
          (before) => ({
            ...before,
            blocks: before.blocks.map((each) => (each.id === blockId ? withText(each, shown, text) : each)),
          }),
          `${blockId}.${shown.field}`,
        );
      }}
      onNext={(places) => {
        const next = nextPlaceholder(places, lastPlace.current);
        lastPlace.current = next;
        if (next) openPlacement(next.place.placement, { ...next.place });
      }}
    />
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <UndoButtons document={document} />
        <Button onClick={() => setVersions(true)}>
          <History aria-hidden className="size-4" />
          Versions
        </Button>
        <SaveStatus saved={state} onRetry={() => void document.flush()} />
        <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
          {site.published !== null && (
            <a className={buttonClass()} href={addressOf(site, pageId)} target="_blank" rel="noopener noreferrer">
              <ExternalLink aria-hidden className="size-4" />
              View page
            </a>
          )}
          <PublishButton site={site} beforePublish={document.flush} />
        </div>
      </div>
      {document.isRecovered && state.status !== 'conflict' && (
        <p role="status" className="text-[0.8125rem] text-muted">
          Changes that were stored in this browser are back. Undo the ones that you do not want.
        </p>
      )}
      {state.status === 'conflict' && (
        <Suspense fallback={null}>
          <PageConflict
            read={async () => {
              const latest = await client.fetchQuery({ ...pageQuery(site.id, pageId), staleTime: 0 });
              return { version: latest.version, value: isPage(latest.document) ? latest.document : NO_BLOCKS };
            }}
            mine={page}
            onKeepMine={document.keepMine}
            onTakeTheirs={document.takeTheirs}
          />
        </Suspense>
      )}
      {state.status === 'failed' && <RejectedBox state={state.error} faults={faults} page={page} onOpen={setOpenId} />}
      {isWide ? (
        <div className="grid grid-cols-[minmax(20rem,26rem)_minmax(0,1fr)] items-start gap-6">
          {blocks}
          <div className="sticky top-20">{preview}</div>
        </div>
      ) : (
        <>
          <div role="group" aria-label="View" className="flex gap-1 rounded-lg bg-sunken p-1">
            <ViewButton label="Blocks" pressed={!isPreviewed} onChoose={() => setIsPreviewed(false)} />
            <ViewButton label="Preview" pressed={isPreviewed} onChoose={() => setIsPreviewed(true)} />
          </div>
          {isPreviewed ? preview : blocks}
        </>
      )}
      {versions && (
        <Suspense fallback={null}>
          <PageVersions
            siteId={site.id}
            pageId={pageId}
            current={document.version()}
            onClose={() => setVersions(false)}
            onRestore={async (version) => {
              const earlier = await client.fetchQuery(versionQuery(site.id, pageId, version));
              if (isPage(earlier.document)) document.restore(earlier.document, version);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Where visitors find the page. */
function addressOf({ address, document }: Site, pageId: string): string {
  const path = document.pages.find(({ id }) => id === pageId)?.path;
  return path ? `${address}${path}/` : address;
}

interface ViewProps {
  readonly label: string;
  readonly pressed: boolean;
  readonly onChoose: () => void;
}

function ViewButton({ label, pressed, onChoose }: ViewProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onChoose}
      className={cx(
        'min-h-10 flex-1 rounded-md px-3 font-medium',
        pressed ? 'bg-surface text-text shadow-card' : 'text-muted hover:text-text',
      )}
    >
      {label}
    </button>
  );
}

interface RejectedProps {
  readonly state: unknown;
  readonly faults: readonly Fault[];
  readonly page: PageDocument;
  readonly onOpen: (id: string) => void;
}

/** What the server rejected, with the way to the block. */
function RejectedBox({ state, faults, page, onOpen }: RejectedProps) {
  const block = page.blocks.find(({ id }) => faults.some(({ blockId }) => blockId === id));
  return (
    <div className="flex flex-col gap-2">
      <ErrorBox error={state} prefix="Not saved" />
      {block && (
        <Button size="sm" className="self-start" onClick={() => onOpen(block.id)}>
          {`Open ${nameOf(block)}`}
        </Button>
      )}
    </div>
  );
}

interface BlocksProps {
  readonly site: Site;
  readonly document: OpenDocument<PageDocument>;
  readonly faults: readonly Fault[];
  readonly open: Block | null;
  readonly wanted: WantedText | null;
  readonly onOpen: (id: string | null) => void;
}

function Blocks({ site, document, faults, open, wanted, onOpen }: BlocksProps) {
  const { value: page, change } = document;
  const [adding, setAdding] = useState(false);
  const [lastId, setLastId] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const wasOpen = useRef<string | null>(null);
  // Back in the list, the focus returns to the block that was open.
  useEffect(() => {
    if (!open && wasOpen.current)
      list.current?.querySelector<HTMLElement>(`[data-block="${wasOpen.current}"]`)?.focus();
    wasOpen.current = open?.id ?? null;
  }, [open]);
  const names = useMemo(() => pageNames(site.document.pages), [site.document.pages]);
  const at = page.blocks.findIndex(({ id }) => id === lastId);
  const place = at < 0 ? 'At the end of the page' : `After ${nameOf(page.blocks[at] as Block)}`;
  const openBlock = (id: string | null) => {
    if (id) setLastId(id);
    onOpen(id);
  };
  if (open) {
    return (
      <OpenBlock
        key={open.id}
        site={site}
        document={document}
        faults={faults}
        block={open}
        wanted={wanted}
        onClose={() => onOpen(null)}
        onOpen={openBlock}
      />
    );
  }
  return (
    <div ref={list} className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <h2 className="font-semibold">Blocks</h2>
        <Button variant="primary" size="sm" disabled={page.blocks.length >= MAX_BLOCKS} onClick={() => setAdding(true)}>
          <Plus aria-hidden className="size-4" />
          Add block
        </Button>
      </div>
      {page.blocks.length === 0 ? (
        <div className={surface}>
          <Empty title="This page is empty">Add a hero or an article to begin.</Empty>
        </div>
      ) : (
        <BlockList
          blocks={page.blocks}
          pages={names}
          faults={faults}
          onOpen={openBlock}
          onMove={(id, to) => change('Move block', (before) => moveBlock(before, id, to))}
        />
      )}
      {adding && (
        <Suspense fallback={null}>
          <AddBlockDialog
            siteId={site.id}
            place={place}
            onClose={() => setAdding(false)}
            onAdd={(block) => {
              change(`Add ${labelOf(block.type)}`, (before) =>
                insertBlock(before, at < 0 ? before.blocks.length : at + 1, block),
              );
              openBlock(block.id);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

interface OpenBlockProps {
  readonly site: Site;
  readonly document: OpenDocument<PageDocument>;
  readonly faults: readonly Fault[];
  readonly block: Block;
  readonly wanted: WantedText | null;
  readonly onClose: () => void;
  readonly onOpen: (id: string) => void;
}

function OpenBlock({ site, document, faults, block, wanted, onClose, onOpen }: OpenBlockProps) {
  const { value: page, change } = document;
  const heading = useRef<HTMLHeadingElement>(null);
  const beginsInField = useRef(wanted !== null);
  useEffect(() => {
    if (!beginsInField.current) heading.current?.focus();
  }, []);
  const index = page.blocks.findIndex(({ id }) => id === block.id);
  const move = (by: number) => change('Move block', (before) => moveBlock(before, block.id, index + by));
  const label = labelOf(block.type);
  const context = useMemo(
    () => ({
      siteId: site.id,
      websiteId: site.websiteId,
      pages: site.document.pages,
      blockId: block.id,
      faults,
      wanted,
    }),
    [site, block.id, faults, wanted],
  );
  return (
    <section aria-label={label} className={cx(surface, 'min-w-0 p-4')}>
      <div className="mb-4 flex items-center gap-1">
        <Button variant="ghost" size="icon" aria-label="Back to all blocks" onClick={onClose}>
          <ArrowLeft aria-hidden className="size-4" />
        </Button>
        <h2 ref={heading} tabIndex={-1} className="min-w-0 flex-1 truncate font-semibold outline-none">
          {label}
        </h2>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Move block up"
          aria-disabled={index === 0}
          onClick={() => move(-1)}
        >
          <ArrowUp aria-hidden className="size-4" />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Move block down"
          aria-disabled={index === page.blocks.length - 1}
          onClick={() => move(1)}
        >
          <ArrowDown aria-hidden className="size-4" />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Duplicate block"
          onClick={() => {
            const id = crypto.randomUUID();
            change(`Duplicate ${label}`, (before) => duplicateBlock(before, block.id, id));
            onOpen(id);
          }}
        >
          <Copy aria-hidden className="size-4" />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Delete block"
          onClick={() => {
            onClose();
            change(`Delete ${label}`, (before) => removeBlock(before, block.id));
          }}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      </div>
      <BlockFields value={context}>
        <Suspense fallback={<Loading label="Loading fields" />}>
          <BlockForm
            block={block}
            onChange={(next, field) =>
              change(`Edit ${label}`, (before) => changeBlock(before, next), field && `${block.id}.${field}`)
            }
          />
        </Suspense>
      </BlockFields>
    </section>
  );
}
