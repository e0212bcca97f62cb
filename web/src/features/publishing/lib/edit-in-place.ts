// Texts that are edited where they stand in the preview: a click, or Enter on a focused one, begins; Enter and leaving it
// take the text over, Escape restores it. Of a text in Markdown the source is edited. Tab leads to one of them, arrow keys
// to the others: a page has many. The page itself has no script: this runs in the app.
import { anchorOf } from './blocks';
import type { Block } from './document';
import { sourcesOf, textsOf, type ShownText } from './block-texts';
import { editSource, offsetInSource } from './edit-source';

export interface TextChange {
  readonly blockId: string;
  readonly shown: ShownText;
  readonly text: string;
}

/** What the page shows of a text that is edited in place. */
export const IN_PLACE_CSS = [
  '[data-field]{cursor:text;border-radius:2px}',
  '[data-field]:is(:hover,:focus-visible){outline:2px dashed var(--accent);outline-offset:3px}',
  '[data-field]:is([contenteditable],[data-editing]){outline:2px solid var(--accent);outline-offset:3px}',
  '.prose[data-field]{min-height:1.5em}',
  'textarea[data-field]{display:block;width:100%;padding:0;border:0;resize:none;overflow:hidden;background:none;color:inherit;font:inherit}',
].join('');
const MARKED = '[data-field]';
const STEPS: Readonly<Record<string, number>> = { Enter: 0, ArrowDown: 1, ArrowUp: -1 };
/** What a text in Markdown is rendered into. */
const RENDERED = '.prose';
/** A browser edits nothing in the first two; the texts of the last are not those of a field. */
const NOT_IN = `button, label, ${RENDERED}`;

/**
 * Makes the texts of the blocks in the page editable. `blocks`: as they are now, which the page may not show yet; `focused`:
 * the place of the text that had the focus before.
 */
export function editInPlace(
  page: Document,
  blocks: () => readonly Block[],
  onChange: (change: TextChange) => void,
  focused: string | null = null,
): void {
  const texts = new Map<HTMLElement, { readonly blockId: string; readonly shown: ShownText }>();
  for (const block of blocks()) {
    const section = page.getElementById(anchorOf(block));
    if (!section) continue;
    const all = [...found(section, textsOf(block)), ...rendered(section, sourcesOf(block))];
    for (const [element, shown] of all.sort(([one], [other]) => inPage(one, other))) {
      element.dataset['field'] = placeOf(block.id, shown);
      element.tabIndex = texts.size === 0 ? 0 : -1;
      element.setAttribute('aria-description', 'Enter: edit this text. Arrow up and down: the text above and below.');
      texts.set(element, { blockId: block.id, shown });
    }
  }
  const named = (target: EventTarget | null): HTMLElement | null =>
    (target as Element | null)?.closest<HTMLElement>(MARKED) ?? null;
  const isEdited = (element: HTMLElement): boolean =>
    element.hasAttribute('contenteditable') || element.tagName === 'TEXTAREA';

  /** The source as it is now, in the text's place; `before`: the shown text before the caret. */
  const beginSource = (element: HTMLElement, before: string): void => {
    const of = texts.get(element);
    const block = blocks().find(({ id }) => id === of?.blockId);
    const now = block && sourcesOf(block).find(({ field }) => field === of?.shown.field);
    if (!block || !now) return; // it was removed; the next version of the page shows that
    editSource(element, now.text, offsetInSource(now.text, before), (taken, text) =>
      onChange({ blockId: block.id, shown: { ...now, text: taken }, text }),
    );
  };
  const begin = (element: HTMLElement): void => {
    const before = textOf(element);
    const nodes = [...element.childNodes].map((node) => node.cloneNode(true));
    element.setAttribute('contenteditable', 'plaintext-only');
    if (!element.isContentEditable) element.setAttribute('contenteditable', 'true'); // older browsers
    element.focus();
    const end = (keeps: boolean): void => {
      element.removeEventListener('keydown', onKey);
      element.removeEventListener('blur', onBlur);
      element.removeAttribute('contenteditable');
      const of = texts.get(element);
      const text = normal(textOf(element), of?.shown.paragraph !== null);
      if (keeps && of && text !== normal(before, true)) onChange({ ...of, text });
      else element.replaceChildren(...nodes);
    };
    const onBlur = (): void => end(true);
    const onKey = (event: KeyboardEvent): void => {
      if (event.isComposing) return;
      const ends = event.key === 'Escape' || (event.key === 'Enter' && !event.shiftKey);
      if (!ends) return;
      event.preventDefault();
      event.stopPropagation();
      end(event.key === 'Enter');
      element.focus();
    };
    element.addEventListener('keydown', onKey);
    element.addEventListener('blur', onBlur);
  };

  page.addEventListener('click', (event) => {
    const element = named(event.target);
    if (!element || isEdited(element)) return;
    const caret = caretAt(page, event.clientX, event.clientY);
    if (element.matches(RENDERED)) {
      beginSource(element, textBefore(element, caret));
      return;
    }
    begin(element);
    if (caret) page.getSelection()?.collapse(caret.offsetNode, caret.offset);
  });
  page.addEventListener('keydown', (event) => {
    const element = named(event.target);
    if (!element || isEdited(element)) return;
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (step !== 0) {
      const all = [...texts.keys()];
      all.at((all.indexOf(element) + step) % all.length)?.focus();
      return;
    }
    if (element.matches(RENDERED)) {
      beginSource(element, '');
      return;
    }
    begin(element);
    page.getSelection()?.selectAllChildren(element);
  });
  // Tab comes back to the text that it left.
  page.addEventListener('focusin', (event) => {
    const element = named(event.target);
    if (element && texts.has(element)) for (const each of texts.keys()) each.tabIndex = each === element ? 0 : -1;
  });
  // A blank in a question would open or close its answer.
  page.addEventListener('keyup', (event) => {
    const element = named(event.target);
    if (element && isEdited(element) && event.key === ' ') event.preventDefault();
  });
  if (focused) [...texts.keys()].find((element) => placeIn(element) === focused)?.focus();
}

/** The place of the text that has the focus in the page. */
export const focusedText = (page: Document | null | undefined): string | null =>
  page?.activeElement ? placeIn(page.activeElement) : null;

/** The text that is being edited in the page. */
export const editedText = (page: Document | null | undefined): Element | null =>
  page?.querySelector(`${MARKED}:is([contenteditable], [data-editing])`) ?? null;

/** Whether an event came from a text that is edited in place. */
export const isText = (target: EventTarget | null): boolean =>
  (target as Element | null)?.closest(MARKED) !== null && target !== null;

const placeIn = (element: Element): string | null => (element as HTMLElement).dataset['field'] ?? null;
const placeOf = (blockId: string, { field, paragraph }: ShownText): string => `${blockId} ${field} ${paragraph ?? ''}`;

/** The element of each text: the first with this text alone that no other one has. */
function found(section: HTMLElement, texts: readonly ShownText[]): readonly [HTMLElement, ShownText][] {
  const left = [...texts];
  return [...section.querySelectorAll<HTMLElement>('*')].flatMap((element): [HTMLElement, ShownText][] => {
    if (left.length === 0 || element.closest(NOT_IN) || [...element.children].some(({ tagName }) => tagName !== 'BR'))
      return [];
    const text = normal(textOf(element), false);
    const at = text ? left.findIndex((shown) => normal(shown.text, false) === text) : -1;
    const [shown] = at < 0 ? [] : left.splice(at, 1);
    return shown ? [[element, shown]] : [];
  });
}

/** What each source is rendered into. A closed answer could be neither seen nor reached. */
function rendered(section: HTMLElement, sources: readonly ShownText[]): readonly [HTMLElement, ShownText][] {
  const elements = [...section.querySelectorAll<HTMLElement>(RENDERED)];
  if (elements.length !== sources.length) return []; // the page does not show these blocks yet
  return sources.map((source, at) => {
    const element = elements[at] as HTMLElement;
    element.closest('details')?.setAttribute('open', '');
    return [element, source];
  });
}

const inPage = (one: Node, other: Node): number =>
  one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;

function textOf(element: Element): string {
  return [...element.childNodes]
    .map((node) =>
      node.nodeName === 'BR' ? '\n' : node.nodeName === 'DIV' ? `\n${node.textContent}` : node.textContent,
    )
    .join('');
}

/** Without the blanks that a page does not show; `lines`: its lines stay. */
const normal = (text: string, lines: boolean): string =>
  text
    .split('\n')
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part, at, all) => part !== '' || (at > 0 && at < all.length - 1))
    .join(lines ? '\n' : ' ')
    .trim();

function caretAt(page: Document, x: number, y: number): CaretPosition | null {
  // Not every browser has it.
  return (page.caretPositionFromPoint as Document['caretPositionFromPoint'] | undefined)?.call(page, x, y) ?? null;
}

function textBefore(element: HTMLElement, caret: CaretPosition | null): string {
  if (!caret || !element.contains(caret.offsetNode)) return '';
  const range = element.ownerDocument.createRange();
  range.setStart(element, 0);
  range.setEnd(caret.offsetNode, caret.offset);
  return range.toString();
}
