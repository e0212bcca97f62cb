// "@ada" while it is being typed.

/** The handle that ends at the caret, and its start; null where none is being typed. */
export function openMention(text: string, caret: number): { readonly from: number; readonly typed: string } | null {
  const match = /(^|[^\w@.])@([a-z0-9-]{1,30})$/i.exec(text.slice(0, caret));
  if (!match) return null;
  const typed = match[2] ?? '';
  return { from: caret - typed.length - 1, typed: typed.toLowerCase() };
}

/** As many as a post may mention. */
const MAX_MENTIONS = 10;

/** Handles that a text may name, each once, for its preview. */
export function handlesIn(text: string): string[] {
  const found = text.matchAll(/(?<![\p{L}\p{N}_@./-])@([a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?)/giu);
  return [...new Set([...found].map((match) => (match[1] ?? '').toLowerCase()))].slice(0, MAX_MENTIONS);
}
