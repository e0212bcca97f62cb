// Changes of a page's blocks. Pure: each gives a new document, or the same one if nothing changes.
import { MAX_BLOCKS, type Block, type PageDocument } from './document';

/** Inserts the block at this position. A full page stays as it is. */
export function insertBlock(page: PageDocument, at: number, block: Block): PageDocument {
  if (page.blocks.length >= MAX_BLOCKS) return page;
  return { ...page, blocks: page.blocks.toSpliced(at, 0, block) };
}

export function removeBlock(page: PageDocument, id: string): PageDocument {
  const blocks = page.blocks.filter((block) => block.id !== id);
  return blocks.length === page.blocks.length ? page : { ...page, blocks };
}

/** Moves the block to the position `to` of the result; beyond an end, to the end. */
export function moveBlock(page: PageDocument, id: string, to: number): PageDocument {
  const from = page.blocks.findIndex((block) => block.id === id);
  const end = Math.max(0, Math.min(to, page.blocks.length - 1));
  const block = page.blocks[from];
  if (!block || from === end) return page;
  return { ...page, blocks: page.blocks.toSpliced(from, 1).toSpliced(end, 0, block) };
}

/** Inserts a copy behind the block. Its name in analytics stays with the original. */
export function duplicateBlock(page: PageDocument, id: string, copyId: string = crypto.randomUUID()): PageDocument {
  const at = page.blocks.findIndex((block) => block.id === id);
  const block = page.blocks[at];
  if (!block) return page;
  return insertBlock(page, at + 1, { ...block, id: copyId, name: '' });
}

export function changeBlock(page: PageDocument, changed: Block): PageDocument {
  return { ...page, blocks: page.blocks.map((block) => (block.id === changed.id ? changed : block)) };
}

/** A list with one entry moved to the position `to`. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const entry = list[from];
  if (entry === undefined || to < 0 || to >= list.length) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, entry);
}

export const replaced = <T>(list: readonly T[], at: number, entry: T): readonly T[] => list.with(at, entry);
export const without = <T>(list: readonly T[], at: number): readonly T[] => list.toSpliced(at, 1);
