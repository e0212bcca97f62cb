// Turns key presses into the keys text of a command ("g d", "mod+k"), and leaves typing alone.
const SEQUENCE_MS = 1000;

export interface KeyMatcher {
  /** The candidates for this press: the key itself, and the sequence that it may end. */
  press(event: KeyboardEvent, now: number): readonly string[];
}

export function keyMatcher(): KeyMatcher {
  let last: { key: string; at: number } | null = null;
  return {
    press(event, now) {
      if (event.ctrlKey || event.metaKey) return event.key.length === 1 ? [`mod+${event.key.toLowerCase()}`] : [];
      if (event.altKey || event.key === 'Shift') return [];
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const sequence = last && now - last.at < SEQUENCE_MS ? `${last.key} ${key}` : null;
      last = { key, at: now };
      return sequence ? [sequence, key] : [key];
    },
  };
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

export function overlayIsOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null;
}

export function keyLabels(keys: string): readonly string[] {
  const apple = /mac|iphone|ipad/i.test(navigator.userAgent);
  return keys
    .split(/[ +]/)
    .map((key) => (key === 'mod' ? (apple ? '⌘' : 'Ctrl') : key === 'Escape' ? 'Esc' : key.toUpperCase()));
}
