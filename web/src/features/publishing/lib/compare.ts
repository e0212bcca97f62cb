// What is different between two versions of a page, by block.
import { nameOf } from './blocks';
import type { PageDocument } from './document';

export interface Difference {
  readonly name: string;
  readonly what: 'Only in yours' | 'Only in theirs' | 'Different' | 'Different position';
}

export function differencesOf(mine: PageDocument, theirs: PageDocument): readonly Difference[] {
  const [ours, others] = [mine.blocks, theirs.blocks].map(
    (blocks) => new Map(blocks.map((block) => [block.id, block])),
  );
  if (!ours || !others) return [];
  const shared = (page: PageDocument) => page.blocks.map(({ id }) => id).filter((id) => ours.has(id) && others.has(id));
  const [order, otherOrder] = [shared(mine), shared(theirs)];
  const found: Difference[] = mine.blocks.flatMap((block): Difference[] => {
    const other = others.get(block.id);
    const name = nameOf(block);
    if (!other) return [{ name, what: 'Only in yours' }];
    if (JSON.stringify(sorted(block)) !== JSON.stringify(sorted(other))) return [{ name, what: 'Different' }];
    if (order.indexOf(block.id) !== otherOrder.indexOf(block.id)) return [{ name, what: 'Different position' }];
    return [];
  });
  const added = theirs.blocks.filter(({ id }) => !ours.has(id));
  return [...found, ...added.map((block): Difference => ({ name: nameOf(block), what: 'Only in theirs' }))];
}

/** The same whatever the order of its fields, and whether an empty one is given. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
