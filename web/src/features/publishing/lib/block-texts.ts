// The texts of a block, as its page shows them: where each is in the block, and the block with another text there. Those in
// Markdown are a list of their own: they are shown as something else than what is written.
import type { Block } from './document';

/** One text as it is shown: a whole field, or one paragraph of it. */
export interface ShownText {
  /** The place of the field in the block: `offers.0.name`. */
  readonly field: string;
  readonly text: string;
  /** Which paragraph of the field; null: the field is one line. */
  readonly paragraph: number | null;
}

const BETWEEN_PARAGRAPHS = /\n\s*\n/;
const paragraphsOf = (text: string): readonly string[] =>
  text
    .split(BETWEEN_PARAGRAPHS)
    .map((part) => part.trim())
    .filter(Boolean);

const line = (field: string, text: string): ShownText[] => (text.trim() ? [{ field, text, paragraph: null }] : []);
const paragraphs = (field: string, text: string): ShownText[] =>
  paragraphsOf(text).map((part, paragraph) => ({ field, text: part, paragraph }));
const each = <T>(list: readonly T[], texts: (item: T, at: number) => readonly ShownText[]): ShownText[] =>
  list.flatMap(texts);

/** The plain texts, in the order of the page. */
export function textsOf(block: Block): readonly ShownText[] {
  switch (block.type) {
    case 'hero':
      return [
        ...line('title', block.title),
        ...paragraphs('text', block.text),
        ...line('action.label', block.action?.label ?? ''),
      ];
    case 'review':
      return [
        ...line('product', block.product),
        ...paragraphs('summary', block.summary),
        ...each(block.pros, (point, at) => line(`pros.${at}`, point)),
        ...each(block.cons, (point, at) => line(`cons.${at}`, point)),
        ...line('label', block.label),
      ];
    case 'comparison':
      return [
        ...line('title', block.title),
        ...each(block.products, ({ name }, at) => line(`products.${at}.name`, name)),
        ...each(block.rows, ({ feature, values }, at) => [
          ...line(`rows.${at}.feature`, feature),
          ...each(values, (cell, column) =>
            cell.kind === 'text' ? line(`rows.${at}.values.${column}.text`, cell.text) : [],
          ),
        ]),
        ...each(block.products, ({ label }, at) => line(`products.${at}.label`, label)),
        ...paragraphs('note', block.note),
      ];
    case 'offers':
      return [
        ...line('title', block.title),
        ...each(block.offers, ({ name, text, price, label }, at) => [
          ...line(`offers.${at}.name`, name),
          ...paragraphs(`offers.${at}.text`, text),
          ...line(`offers.${at}.price`, price),
          ...line(`offers.${at}.label`, label),
        ]),
      ];
    case 'price':
      return [...line('product', block.product), ...line('note', block.note), ...line('label', block.label)];
    case 'faq':
      return [
        ...line('title', block.title),
        ...each(block.questions, ({ question }, at) => line(`questions.${at}.question`, question)),
      ];
    case 'image':
      return line('caption', block.caption);
    case 'newsletter':
      return [...line('title', block.title), ...paragraphs('text', block.text), ...line('consent', block.consent)];
    case 'disclosure':
      return paragraphs('text', block.text);
    case 'article':
      return [];
  }
}

/** The sources of the texts in Markdown, in the order of the page: also of empty ones, which the page shows as nothing. */
export function sourcesOf(block: Block): readonly ShownText[] {
  if (block.type === 'article') return [{ field: 'markdown', text: block.markdown, paragraph: null }];
  if (block.type === 'faq')
    return block.questions.map(({ answer }, at) => ({
      field: `questions.${at}.answer`,
      text: answer,
      paragraph: null,
    }));
  return [];
}

/** The block with `text` in place of what is shown; the block itself if it is no longer shown there. */
export function withText(block: Block, shown: ShownText, text: string): Block {
  const isThere = [...textsOf(block), ...sourcesOf(block)].some(
    (own) => own.field === shown.field && own.paragraph === shown.paragraph && own.text === shown.text,
  );
  if (!isThere) return block;
  const replaced = (field: unknown): string =>
    shown.paragraph === null
      ? text
      : paragraphsOf(String(field))
          .map((own, at) => (at === shown.paragraph ? text : own))
          .filter(Boolean)
          .join('\n\n');
  return changed(block, shown.field.split('.'), replaced) as Block;
}

function changed(value: unknown, [name, ...rest]: readonly string[], change: (field: unknown) => string): unknown {
  if (name === undefined) return change(value);
  if (Array.isArray(value)) return value.with(Number(name), changed(value[Number(name)], rest, change)) as unknown;
  const parts = value as Readonly<Record<string, unknown>>;
  return { ...parts, [name]: changed(parts[name], rest, change) };
}
