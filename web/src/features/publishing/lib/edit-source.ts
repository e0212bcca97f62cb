// The source of a text in Markdown, edited where the text stands in the preview: a text area takes its place. Leaving it, or
// Ctrl and Enter, takes the source over; the area stays until the next version of the page shows what it became. Escape
// restores what was taken over last.

/** Maximum number of characters of the source that stand between two of the shown text: marks and addresses. */
const MAX_BETWEEN = 400;

/** `onTake` gets the source before, and the one that takes its place. */
export function editSource(
  element: HTMLElement,
  source: string,
  caret: number,
  onTake: (before: string, source: string) => void,
): void {
  const area = element.ownerDocument.createElement('textarea');
  let taken = source;
  const close = (): void => {
    element.hidden = false;
    if (element.ownerDocument.activeElement === area) element.focus();
    area.remove();
  };
  const end = (): void => {
    delete area.dataset['editing'];
    const before = taken;
    taken = area.value;
    if (taken !== before) onTake(before, taken);
    if (taken === source) close(); // the page shows it already
  };
  const edit = (): void => {
    area.dataset['editing'] = '';
    if (area.scrollHeight > area.clientHeight) area.style.height = `${area.scrollHeight}px`;
  };
  area.className = element.className;
  area.dataset['field'] = element.dataset['field'];
  area.setAttribute('aria-label', 'Text in Markdown');
  area.setAttribute('aria-description', 'Ctrl and Enter, or leaving it: save. Escape: restore.');
  area.value = source;
  area.style.height = `${element.offsetHeight}px`;
  area.addEventListener('focus', edit);
  area.addEventListener('input', edit);
  area.addEventListener('blur', end);
  area.addEventListener('keydown', (event) => {
    const restores = event.key === 'Escape';
    if (event.isComposing || !(restores || (event.key === 'Enter' && (event.ctrlKey || event.metaKey)))) return;
    event.preventDefault();
    event.stopPropagation();
    if (restores) area.value = taken;
    end();
  });
  element.before(area);
  element.hidden = true;
  area.setSelectionRange(caret, caret); // first: the focus scrolls to it
  area.focus();
}

/** Where the source goes on after the shown text `before`. Marks and addresses, which are not shown, are stepped over. */
export function offsetInSource(source: string, before: string): number {
  let offset = 0;
  for (const character of before) {
    if (!character.trim()) continue;
    const found = source.indexOf(character, offset);
    if (found >= 0 && found - offset <= MAX_BETWEEN) offset = found + character.length;
  }
  return offset;
}
