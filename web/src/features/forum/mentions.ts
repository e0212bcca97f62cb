// "@ada" while it is being typed.

/** The handle that ends at the caret, and where it begins; null where none is being typed. */
export function openMention(text: string, caret: number): { readonly from: number; readonly typed: string } | null {
  const match = /(^|[^\w@.])@([a-z0-9-]{1,30})$/i.exec(text.slice(0, caret));
  if (!match) return null;
  const typed = match[2] ?? '';
  return { from: caret - typed.length - 1, typed: typed.toLowerCase() };
}
