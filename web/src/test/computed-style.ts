// The style that an element has. jsdom tries every rule of its own style sheet on it, a sixth of the processor time of
// all tests, although nearly always only the tag decides: nothing here loads the app's style sheets.

const DECIDING = /(^|[^-\w])(display|visibility|pointer-events)\s*:/;
const OWN_RULES = /^(dialog|details|summary|input|embed|noscript|col|colgroup|thead|tbody|tfoot|tr)$/;
const OWN_ATTRIBUTES = ['hidden', 'popover', 'open'];
const KEYWORD = /^(inherit|initial|unset|revert|revert-layer)$/;

const inlineStyle = (element: Element, property: string): string =>
  element.hasAttribute('style') && 'style' in element ? (element as HTMLElement).style.getPropertyValue(property) : '';

/** Makes `getComputedStyle` of the window quick for `display`, `visibility` and `pointer-events`; the rest is jsdom's.
 * Returns what restores it. */
export function quickenComputedStyle(page: Window & typeof globalThis): () => void {
  const before = page.getComputedStyle;
  const original = before.bind(page);
  const displays = new Map<string, string>();
  const sheets = new WeakMap<CSSStyleSheet, { rules: number; decides: boolean }>();

  const decides = (sheet: CSSStyleSheet): boolean => {
    const rules = sheet.cssRules.length;
    const known = sheets.get(sheet);
    if (known?.rules === rules) return known.decides;
    const found = [...sheet.cssRules].some((rule) => DECIDING.test(rule.cssText));
    sheets.set(sheet, { rules, decides: found });
    return found;
  };

  const displayOf = (element: Element): string => {
    const tag = element.localName;
    const inline = inlineStyle(element, 'display');
    if (OWN_RULES.test(tag) || OWN_ATTRIBUTES.some((name) => element.hasAttribute(name)) || KEYWORD.test(inline))
      return original(element).display;
    if (inline) return inline;
    const display = displays.get(tag) ?? original(element).display;
    displays.set(tag, display);
    return display;
  };

  const inherited = (element: Element, property: 'visibility' | 'pointer-events', initial: string): string => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const inline = inlineStyle(at, property);
      if (KEYWORD.test(inline) || (at.hasAttribute('hidden') && OWN_RULES.test(at.localName)))
        return original(element).getPropertyValue(property);
      if (inline) return inline;
    }
    return initial;
  };

  const initial = original(page.document.createElement('div'));
  const { visibility, pointerEvents } = initial;

  page.getComputedStyle = (element, pseudoElement) => {
    if (pseudoElement || [...page.document.styleSheets].some(decides)) return original(element, pseudoElement);
    const quick: Record<string, () => string> = {
      display: () => displayOf(element),
      visibility: () => inherited(element, 'visibility', visibility),
      'pointer-events': () => inherited(element, 'pointer-events', pointerEvents),
      pointerEvents: () => inherited(element, 'pointer-events', pointerEvents),
    };
    let whole: CSSStyleDeclaration | undefined;
    const real = () => (whole ??= original(element));
    return new Proxy({} as CSSStyleDeclaration, {
      get(_, name) {
        const read = typeof name === 'string' && Object.hasOwn(quick, name) ? quick[name] : undefined;
        if (read) return read();
        if (name === 'getPropertyValue')
          return (property: string) => (quick[property] ?? (() => real().getPropertyValue(property)))();
        const value: unknown = Reflect.get(real(), name);
        return typeof value === 'function' ? (value.bind(real()) as unknown) : value;
      },
    });
  };
  return () => {
    page.getComputedStyle = before;
  };
}
