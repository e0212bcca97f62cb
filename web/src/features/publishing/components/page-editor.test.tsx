import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { site } from '@/test/fixtures';
import { renderPart, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { SAVE_AFTER_MS } from '../hooks/use-document';
import { newBlock } from '../lib/blocks';
import type { PageDocument } from '../lib/document';
import { placeOf } from '../lib/local-copy';
import type { Site } from '../lib/types';
import { announcementsOf } from './block-list';
import { PageEditor } from './page-editor';

const SITE = {
  id: 's1',
  websiteId: 'w1',
  published: null,
  document: { name: 'Tents', navigation: [], pages: [{ id: 'p1', path: '', title: 'Home', short_title: '' }] },
} as unknown as Site;
const PAGE: PageDocument = { blocks: [newBlock('hero', 'a'), newBlock('faq', 'b'), newBlock('disclosure', 'c')] };
const PATH = '/api/platform/sites/{id}/pages/{pageId}';

/** What the server has. */
let kept = { version: 3, document: PAGE };
let handled = 0;

beforeEach(() => {
  localStorage.clear();
  signIn();
  kept = { version: 3, document: PAGE };
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: true,
    media,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  server.use(
    http.post('/api/platform/sites/{id}/preview', () =>
      json({ html: '<!doctype html><p>Tents</p>', problems: [], placesToFill: [] }),
    ),
    http.get('/api/platform/sites/{id}/placeholders', () => json({ count: 0, places: [] })),
    http.get(PATH, () =>
      json({ id: 'p1', siteId: 's1', savedAt: '2026-11-20T12:00:00Z', ...kept, document: { ...kept.document } }),
    ),
    http.put(PATH, async ({ request }) => {
      const sent = (await request.json()) as { document: PageDocument; basedOn: number };
      handled += 1;
      if (sent.basedOn !== kept.version) return refuse(409, 'Changed elsewhere.', 'page_changed');
      const wrong = sent.document.blocks.findIndex((block) => block.type === 'hero' && block.title === '');
      if (wrong >= 0)
        return refuse(400, 'Block 1 (hero), "title" must not be empty.', 'invalid_document', [
          { field: `document.blocks.${wrong}.title`, message: 'The heading must not be empty.' },
        ]);
      kept = { version: kept.version + 1, document: sent.document };
      return json({ id: 'p1', siteId: 's1', version: kept.version, savedAt: '2026-11-20T12:00:00Z' });
    }),
  );
});
afterEach(async () => {
  vi.useRealTimers();
  // What is not saved yet is saved on leaving.
  const isOpen = screen.queryAllByText(/^(Unsaved changes|Not saved: )/).length > 0;
  const before = handled;
  cleanup();
  if (isOpen) await vi.waitFor(() => expect(handled).toBe(before + 1));
  vi.unstubAllGlobals();
});

const open = () =>
  renderPart(
    <PageEditor
      site={SITE}
      saved={{ id: 'p1', siteId: 's1', savedAt: '2026-11-20T12:00:00Z', version: 3, document: PAGE }}
    />,
  );
const order = () =>
  within(screen.getByRole('list', { name: 'Blocks of the page' }))
    .getAllByRole('button', { name: /^Edit / })
    .map((button) => button.dataset['block'])
    .join('');
const saves = () => requests('PUT /api/platform/sites/s1/pages/p1');
const editHeading = async (user: ReturnType<typeof open>['user'], text: string) => {
  await user.click(screen.getByRole('button', { name: /^Edit Hero/ }));
  fireEvent.change(await screen.findByLabelText('Heading'), { target: { value: text } });
};
/** A rest after which changes are saved. */
const rest = () => act(() => vi.advanceTimersByTimeAsync(SAVE_AFTER_MS));

test('a change is saved once typing rests, based on the version that was changed', async () => {
  const { user } = open();
  await user.click(screen.getByRole('button', { name: /^Edit Hero/ }));
  const field = await screen.findByLabelText('Heading');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.change(field, { target: { value: 'T' } });
  fireEvent.change(field, { target: { value: 'Tents' } });
  expect(screen.getByText('Unsaved changes')).toBeInTheDocument();
  expect(localStorage.getItem(placeOf('page:p1'))).toContain('Tents');
  expect(saves()).toHaveLength(0);
  await rest();
  vi.useRealTimers();
  await screen.findByText('All changes saved');
  expect(saves()).toHaveLength(1);
  expect(state.seen.find(({ line }) => line.startsWith('PUT'))?.body).toMatchObject({ basedOn: 3 });
  expect(kept.document.blocks[0]).toMatchObject({ title: 'Tents' });
  expect(localStorage.getItem(placeOf('page:p1'))).toBeNull();
});

test('undo and redo by button and by key, also in a field', async () => {
  const { user } = open();
  await editHeading(user, 'Tents');
  expect(screen.getByRole('button', { name: 'Undo: Edit Hero' })).toBeEnabled();
  fireEvent.keyDown(screen.getByLabelText('Heading'), { key: 'z', ctrlKey: true });
  expect(screen.getByLabelText('Heading')).toHaveValue('[Your heading]');
  fireEvent.keyDown(screen.getByLabelText('Heading'), { key: 'Z', ctrlKey: true, shiftKey: true });
  expect(screen.getByLabelText('Heading')).toHaveValue('Tents');
  await user.click(screen.getByRole('button', { name: 'Delete block' }));
  expect(order()).toBe('bc');
  await user.click(screen.getByRole('button', { name: 'Undo: Delete Hero' }));
  expect(order()).toBe('abc');
});

test('a block is moved with buttons, and the focus returns to it in the list', async () => {
  const { user } = open();
  await user.click(screen.getByRole('button', { name: /^Edit FAQ/ }));
  await user.click(await screen.findByRole('button', { name: 'Move block up' }));
  await user.click(screen.getByRole('button', { name: 'Back to all blocks' }));
  expect(order()).toBe('bac');
  expect(screen.getByRole('button', { name: /^Edit FAQ/ })).toHaveFocus();
});

test('what happens while a block is dragged is announced with its name and position', () => {
  const say = announcementsOf(PAGE.blocks);
  const [active, over] = [{ id: 'a' }, { id: 'c' }] as never[];
  const event = { active, over } as never;
  expect(say.onDragStart(event)).toBe('Picked up Hero: [Your heading], position 1 of 3.');
  expect(say.onDragOver(event)).toBe('Hero: [Your heading] is now at position 3 of 3.');
  expect(say.onDragEnd(event)).toBe('Dropped Hero: [Your heading] at position 3 of 3.');
  expect(say.onDragCancel(event)).toBe('Canceled. Hero: [Your heading] stays at position 1.');
});

test.each(['Disclosure', 'Newsletter form'])('a new block comes from the dialog and is opened: %s', async (kind) => {
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Add block' }));
  await user.click(await screen.findByRole('button', { name: new RegExp(`^${kind}`) }));
  expect(await screen.findByRole('heading', { name: kind })).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Back to all blocks' }));
  expect(order()).toHaveLength('abc'.length + 36);
});

test('an error of the server stands at its field; nothing is lost', async () => {
  const { user } = open();
  await user.click(screen.getByRole('button', { name: /^Edit Hero/ }));
  const field = await screen.findByLabelText('Heading');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.change(field, { target: { value: '' } });
  await rest();
  vi.useRealTimers();
  await screen.findByText('The heading must not be empty.');
  expect(screen.getByLabelText('Heading')).toHaveAccessibleDescription('The heading must not be empty.');
  expect(screen.getByText('Not saved: see the errors')).toBeInTheDocument();
  expect(localStorage.getItem(placeOf('page:p1'))).not.toBeNull();
});

const conflict = async (mine: string) => {
  const theirs: PageDocument = { blocks: [{ ...newBlock('hero', 'a'), title: 'Theirs' } as never] };
  kept = { version: 8, document: theirs };
  localStorage.setItem(
    placeOf('page:p1'),
    JSON.stringify({ basedOn: 3, value: { blocks: [{ ...newBlock('hero', 'a'), title: mine }] } }),
  );
  const { user } = open();
  await screen.findByText(/was changed in another window/);
  return user;
};

test('two editors at once: keep mine saves over the latest version', async () => {
  const user = await conflict('Mine');
  const keep = screen.getByRole('button', { name: 'Keep mine' });
  await waitFor(() => expect(keep).toBeEnabled());
  await user.click(keep);
  await screen.findByText('All changes saved');
  expect(kept).toMatchObject({ version: 9, document: { blocks: [{ title: 'Mine' }] } });
});

test('two editors at once: take theirs can be undone', async () => {
  const user = await conflict('Mine');
  const take = screen.getByRole('button', { name: 'Take theirs' });
  await waitFor(() => expect(take).toBeEnabled());
  await user.click(take);
  expect(await screen.findByRole('button', { name: 'Edit Hero Theirs' })).toBeInTheDocument();
  expect(screen.getByText('All changes saved')).toBeInTheDocument();
  expect(kept.version).toBe(8);
  await user.click(screen.getByRole('button', { name: 'Undo: Take their version' }));
  expect(screen.getByRole('button', { name: 'Edit Hero Mine' })).toBeInTheDocument();
});

test('two editors at once: both versions are compared', async () => {
  const user = await conflict('Mine');
  const compare = screen.getByRole('button', { name: 'Compare' });
  await waitFor(() => expect(compare).toBeEnabled());
  await user.click(compare);
  const list = await screen.findByRole('list', { name: 'Differences' });
  expect(list).toHaveTextContent('Hero: MineDifferent');
});

test('an earlier version is restored as a new one', async () => {
  const earlier: PageDocument = { blocks: [newBlock('newsletter', 'n')] };
  server.use(
    http.get('/api/platform/sites/{id}/pages/{pageId}/versions', () =>
      json([
        { version: 3, savedAt: '2026-11-20T12:00:00Z', restoredFrom: null },
        { version: 1, savedAt: '2026-11-19T12:00:00Z', restoredFrom: null },
      ]),
    ),
    http.get('/api/platform/sites/{id}/pages/{pageId}/versions/{version}', () =>
      json({ id: 'p1', siteId: 's1', version: 1, savedAt: '2026-11-19T12:00:00Z', document: { ...earlier } }),
    ),
  );
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Versions' }));
  await user.click(await screen.findByRole('button', { name: 'Restore version 1' }));
  await waitFor(() => expect(kept).toMatchObject({ version: 4, document: earlier }));
  expect(state.seen.find(({ line }) => line.startsWith('PUT'))?.body).toMatchObject({ restoredFrom: 1, basedOn: 3 });
});

test('publishing saves the page first, and what cannot be saved is not published', async () => {
  let published: PageDocument | null = null;
  server.use(
    http.post('/api/platform/sites/{id}/publish', () => {
      published = kept.document;
      return json(site({ published: 1 }));
    }),
  );
  const { user } = open();
  await editHeading(user, '');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await screen.findByText('The heading must not be empty.');
  expect(published).toBeNull();
  fireEvent.change(screen.getByLabelText('Heading'), { target: { value: 'Tents' } });
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() => expect(published).toMatchObject({ blocks: [{ title: 'Tents' }, {}, {}] }));
});

test('a large site is published by several requests, and its progress is shown', async () => {
  let requests = 0;
  let goOn = () => undefined;
  const last = new Promise<void>((resolve) => (goOn = () => void resolve()));
  server.use(
    http.post('/api/platform/sites/{id}/publish', async () => {
      requests += 1;
      if (requests < 3) {
        const message = `${requests * 20} of 64 pages are rendered. Repeat the request to go on.`;
        return refuse(503, message, 'rendering');
      }
      await last;
      return json(site({ published: 1 }));
    }),
  );
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Publish' }));
  expect(await screen.findByText('Rendered 40 of 64')).toBeInTheDocument();
  goOn();
  expect(await screen.findByText('Site published')).toBeInTheDocument();
  expect(requests).toBe(3);
});

test('the preview runs nothing: its sandbox allows neither scripts nor forms nor windows', async () => {
  open();
  const frame = await screen.findByTitle('Preview of the page');
  expect(frame).toHaveAttribute('sandbox', 'allow-same-origin');
  expect(frame.getAttribute('srcdoc')).toContain('Tents');
});

const TABLE: PageDocument = { blocks: [newBlock('comparison', 't')] };
const openTable = async () => {
  kept = { version: 3, document: TABLE };
  server.use(http.post('/api/platform/sites/{id}/publish', () => json(site({ published: 1 }))));
  const { user } = renderPart(
    <PageEditor
      site={SITE}
      saved={{ id: 'p1', siteId: 's1', savedAt: '2026-11-20T12:00:00Z', version: 3, document: TABLE }}
    />,
  );
  await user.click(screen.getByRole('button', { name: /^Edit Comparison table/ }));
  await screen.findByRole('table', { name: 'Table' });
  return user;
};

test('a table is edited by keyboard: arrows, Tab and Enter move, and yes becomes a mark', async () => {
  const user = await openTable();
  await user.click(screen.getByLabelText('Product 1'));
  await user.clear(screen.getByLabelText('Product 1'));
  await user.keyboard('Trek 2{Tab}');
  expect(screen.getByLabelText('Product 2')).toHaveFocus();
  await user.keyboard('{ArrowDown}');
  const cell = screen.getByLabelText('[Name of the feature], [Name of the product]');
  expect(cell).toHaveFocus();
  await user.keyboard('yes{ArrowLeft}{ArrowLeft}');
  expect(cell).toHaveFocus();
  await user.keyboard('{Enter}');
  expect(screen.getByLabelText('Feature 2')).toBeInTheDocument();
  expect(cell).toHaveValue('✓ Yes');
  await user.click(screen.getByRole('button', { name: 'Remove row' }));
  expect(screen.queryByLabelText('Feature 2')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() => expect(kept.version).toBe(4));
  expect(kept.document.blocks[0]).toMatchObject({
    products: [{ name: 'Trek 2' }, {}],
    rows: [{ values: [{ kind: 'text' }, { kind: 'yes' }] }],
  });
});

test('cells of a spreadsheet are pasted into the table, and what does not fit is said', async () => {
  const user = await openTable();
  await user.click(screen.getByLabelText('Feature 1'));
  await user.paste(`Weight\t2.1 kg\t1.4 kg\nWaterproof\tyes\tno\n`);
  expect(
    await screen.findByLabelText('Waterproof, [Name of the product]', { selector: '[data-place="2:1"]' }),
  ).toHaveValue('✓ Yes');
  await user.click(screen.getByLabelText('Feature 1'));
  await user.paste(Array.from({ length: 10 }, () => 'x').join('\t'));
  expect(screen.getByText(/^1 cell does not fit: at most 8 products/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() => expect(kept.version).toBe(4));
});
