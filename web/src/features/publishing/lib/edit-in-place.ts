// Texts that are edited where they stand in the preview: a click, or Enter on a focused one, begins; Enter and leaving it
// take the text over, Escape restores it. Tab leads to one of them, arrow keys to the others: a page has many. The page
// itself has no script: this runs in the app.
import { anchorOf } from './blocks';
import type { Block } from './document';
import { textsOf, type ShownText } from './block-texts';

export interface TextChange {
  readonly blockId: string;
  readonly shown: ShownText;
  readonly text: string;
}

/** What the page shows of a text that is edited in place. */
export const IN_PLACE_CSS =
  '[data-field]{cursor:text;border-radius:2px}[data-field]:is(:hover,:focus-visible){outline:2px dashed var(--accent);outline-offset:3px}[data-field][contenteditable]{outline:2px solid var(--accent);outline-offset:3px}';
const MARKED = '[data-field]';
const STEPS: Readonly<Record<string, number>> = { Enter: 0, ArrowDown: 1, ArrowUp: -1 };
/** A browser edits nothing in these. */
const NOT_IN = 'button, label';

/** Makes the texts of `blocks` in the page editable; `focused`: the place of the one that had the focus before. */
export function editInPlace(
  page: Document,
  blocks: readonly Block[],
  onChange: (change: TextChange) => void,
  focused: string | null = null,
): void {
  const texts = new Map<HTMLElement, { readonly blockId: string; readonly shown: ShownText }>();
  for (const block of blocks) {
    const section = page.getElementById(anchorOf(block));
    if (!section) continue;
    for (const [element, shown] of found(section, textsOf(block))) {
      element.dataset['field'] = placeOf(block.id, shown);
      element.tabIndex = texts.size === 0 ? 0 : -1;
      element.setAttribute('aria-description', 'Enter: edit this text. Arrow up and down: the text above and below.');
      texts.set(element, { blockId: block.id, shown });
    }
  }
  const named = (target: EventTarget | null): HTMLElement | null =>
    (target as Element | null)?.closest<HTMLElement>(MARKED) ?? null;
  const isEdited = (element: HTMLElement): boolean => element.hasAttribute('contenteditable');

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
    begin(element);
    putCaret(page, event.clientX, event.clientY);
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
    begin(element);
    page.getSelection()?.selectAllChildren(element);
  });
  // Tab comes back to the text that it left.
  page.addEventListener('focusin', (event) => {
    const element = named(event.target);
    if (element) for (const each of texts.keys()) each.tabIndex = each === element ? 0 : -1;
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
  page?.querySelector(`${MARKED}[contenteditable]`) ?? null;

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

function putCaret(page: Document, x: number, y: number): void {
  // Not every browser has it.
  const place = (page.caretPositionFromPoint as Document['caretPositionFromPoint'] | undefined)?.call(page, x, y);
  if (place) page.getSelection()?.collapse(place.offsetNode, place.offset);
}
