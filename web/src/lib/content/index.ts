// Articles as the build makes them from web/content/*/*.md (scripts/content.ts): a list of all of them, and the text of
// each as a module of its own that is fetched when it is read.
export type Kind = 'blog' | 'help' | 'legal';

export interface Card {
  readonly kind: Kind;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** YYYY-MM-DD; for the blog: date of publication, else date of the last review. */
  readonly date: string;
  readonly order: number;
  readonly minutes: number;
  /** Heading under which the Help Center lists it. */
  readonly section?: string;
  /** Lessons of one course, in the order of `lesson`. */
  readonly course?: string;
  readonly lesson?: number;
}

export type Inline =
  | string
  | { readonly b: readonly Inline[] }
  | { readonly i: readonly Inline[] }
  | { readonly c: string }
  | { readonly a: string; readonly t: readonly Inline[] }
  | { readonly br: 1 };
export type Block =
  | { readonly h: 2 | 3 | 4; readonly id: string; readonly t: readonly Inline[] }
  | { readonly p: readonly Inline[] }
  | { readonly l: readonly (readonly Block[])[]; readonly o?: number }
  | { readonly code: string; readonly lang?: string }
  | { readonly q: readonly Block[] }
  | { readonly th: readonly (readonly Inline[])[]; readonly tr: readonly (readonly (readonly Inline[])[])[] }
  | { readonly hr: 1 };

export interface Text {
  readonly title: string;
  readonly blocks: readonly Block[];
}
export interface Article extends Text {
  readonly card: Card;
}

/** Every article, the blog newest first, the others in their order. */
export const allCards = async (): Promise<readonly Card[]> => (await import('virtual:content')).default;

export const cardsOf = async (kind: Kind): Promise<readonly Card[]> =>
  (await allCards()).filter((card) => card.kind === kind);

/** One article with its text; undefined when there is none of that name. */
export async function articleOf(kind: Kind, slug: string): Promise<Article | undefined> {
  const [{ textOf }, cards] = await Promise.all([import('./article-texts'), cardsOf(kind)]);
  const text = await textOf(kind, slug);
  if (!text) return undefined;
  const card = cards.find((item) => item.slug === slug);
  return card && { ...text, card };
}
