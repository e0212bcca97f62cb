// Which texts there are: a module of its own, since only pages with an article need it.
import type { Kind, Text } from './index';

const texts = import.meta.glob<Text>('../../../content/*/*.md', { import: 'default' });

/** The text of an article; undefined when there is none of that name. */
export const textOf = async (kind: Kind, slug: string): Promise<Text | undefined> =>
  texts[`../../../content/${kind}/${slug}.md`]?.();
