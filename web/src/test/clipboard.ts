import { vi } from 'vitest';

/** The texts that are copied from here on. The tests' window is no secure context: texts are copied from a field. */
export function watchCopies(): readonly string[] {
  const texts: string[] = [];
  document.execCommand = vi.fn(() => {
    const field = document.activeElement;
    texts.push(
      field instanceof HTMLTextAreaElement
        ? field.value
        : ([...document.querySelectorAll('textarea')].at(-1)?.value ?? ''),
    );
    return true;
  });
  return texts;
}
