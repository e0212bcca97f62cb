// The kinds of blocks: what each is for, what a new one contains, and how it is named in the list of a page. Texts in
// square brackets are places to fill, as in the starters: a new block can be saved as it is.
import { plainOf, type Names } from './markdown-names';
import type { Block, BlockType, Cell, ComparedProduct, Image, Offer, Question } from './document';

export interface BlockKind {
  readonly type: BlockType;
  readonly label: string;
  readonly purpose: string;
}

export const BLOCK_KINDS: readonly BlockKind[] = [
  { type: 'hero', label: 'Hero', purpose: 'Heading of the page with a button' },
  { type: 'article', label: 'Article', purpose: 'Text in Markdown' },
  { type: 'review', label: 'Review', purpose: 'Rating, pros and cons of a product' },
  { type: 'comparison', label: 'Comparison table', purpose: 'Products side by side' },
  { type: 'offers', label: 'Offers', purpose: 'List of offers with tracked links' },
  { type: 'price', label: 'Price box', purpose: 'One price with a button' },
  { type: 'faq', label: 'FAQ', purpose: 'Questions and answers' },
  { type: 'image', label: 'Image', purpose: 'Image with a caption' },
  { type: 'newsletter', label: 'Newsletter form', purpose: 'Collects email addresses' },
  { type: 'disclosure', label: 'Disclosure', purpose: 'Says that you earn from links' },
];

const LABELS = new Map(BLOCK_KINDS.map(({ type, label }) => [type, label]));
export const labelOf = (type: BlockType): string => LABELS.get(type) ?? type;

export const newOffer = (): Offer => ({
  name: '[Name of the product]',
  text: '',
  image: null,
  price: '',
  label: '',
  target: null,
});
export const newQuestion = (): Question => ({ question: '[Your question]', answer: '[Your answer]' });
export const newProduct = (): ComparedProduct => ({ name: '[Name of the product]', label: '', target: null });
export const emptyCell: Cell = { kind: 'text', text: '' };

const DISCLOSURE =
  'Links on this page may be affiliate links: if you buy through one, we receive a commission at no extra cost to you.';

/** A new block. One with an image needs it from the start. */
export function newBlock(type: Exclude<BlockType, 'image'>, id?: string): Block;
export function newBlock(type: 'image', id: string | undefined, image: Image): Block;
export function newBlock(type: BlockType, id: string = crypto.randomUUID(), image?: Image): Block {
  switch (type) {
    case 'hero':
      return { id, type, title: '[Your heading]', text: '', image: null, action: null };
    case 'article':
      return { id, type, markdown: '## [Your heading]\n\n[Your text]' };
    case 'review':
      return {
        id,
        type,
        product: '[Name of the product]',
        rating: null,
        summary: '',
        pros: [],
        cons: [],
        image: null,
        label: '',
        target: null,
      };
    case 'comparison':
      return {
        id,
        type,
        title: '[Your heading]',
        note: '',
        products: [newProduct(), newProduct()],
        rows: [{ feature: '[Name of the feature]', values: [emptyCell, emptyCell] }],
      };
    case 'offers':
      return { id, type, title: '', offers: [newOffer()] };
    case 'price':
      return {
        id,
        type,
        product: '[Name of the product]',
        amount: 0,
        currency: 'USD',
        old_amount: null,
        note: '',
        label: '',
        target: null,
      };
    case 'faq':
      return { id, type, title: 'Frequently asked questions', questions: [newQuestion()] };
    case 'image':
      if (!image) throw new Error('An image block needs its image.');
      return { id, type, image, caption: '', target: null };
    case 'newsletter':
      return { id, type, title: '[Your heading]', text: '', label: '', consent: '' };
    case 'disclosure':
      return { id, type, text: DISCLOSURE };
  }
}

/** The words that tell it apart from other blocks of its kind; may be empty. `pages`: those that its links may lead to. */
export function summaryOf(block: Block, pages?: Names): string {
  switch (block.type) {
    case 'hero':
    case 'comparison':
    case 'newsletter':
      return block.title;
    case 'article':
      return plainOf(firstLine(block.markdown), pages);
    case 'review':
    case 'price':
      return block.product;
    case 'offers':
      return block.title || block.offers.map(({ name }) => name).join(', ');
    case 'faq':
      return block.title || (block.questions[0]?.question ?? '');
    case 'image':
      return block.caption || block.image.alt;
    case 'disclosure':
      return block.text;
  }
}

/** Its name for people and screen readers: "Review: Tents". */
export function nameOf(block: Block): string {
  const summary = summaryOf(block);
  return summary ? `${labelOf(block.type)}: ${short(summary)}` : labelOf(block.type);
}

/** Its section in the rendered page. */
export const anchorOf = (block: Block): string => anchorNamed(block.name || block.id);

/** The section of the block that has this name in analytics. */
export const anchorNamed = (placement: string): string => `b-${placement}`;

const MAX_SUMMARY = 80;
const short = (text: string): string => (text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1)}…` : text);
const firstLine = (markdown: string): string => markdown.split('\n').find((line) => line.trim()) ?? '';
