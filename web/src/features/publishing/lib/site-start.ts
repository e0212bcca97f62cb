// What a site begins with: the template of a business idea and a draft of its first article, or a channel's links.
import { newBlock } from './blocks';
import type { PageDocument } from './document';
import type { Niche } from './types';

export interface PlannedArticle {
  readonly title: string;
  /** Its headings, in order. */
  readonly outline: readonly string[];
}

/** The links of a link-in-bio page. */
export interface ListedLinks {
  readonly websiteId: string;
  readonly ids: readonly string[];
}

/** What "Create site" begins with. */
export interface SiteStart {
  readonly name: string;
  readonly niche: Niche | null;
  readonly article: PlannedArticle | null;
  readonly links: ListedLinks | null;
}

/** The template of an industry. Physical products are tested in the same way whatever they are for. */
const TEMPLATES: Readonly<Record<string, Niche>> = {
  vpn: 'vpn',
  hosting: 'hosting',
  software: 'software',
  marketing: 'software',
  finance: 'finance',
  investing: 'finance',
  health: 'health',
  fitness: 'health',
  education: 'education',
  ecommerce: 'ecommerce',
  travel: 'ecommerce',
  home: 'ecommerce',
  pets: 'ecommerce',
  fashion: 'ecommerce',
  beauty: 'ecommerce',
  food: 'ecommerce',
  gaming: 'ecommerce',
  photo: 'ecommerce',
  outdoors: 'ecommerce',
  parenting: 'ecommerce',
  green: 'ecommerce',
  electronics: 'ecommerce',
};
export const templateOf = (industry: string | undefined): Niche | null => TEMPLATES[industry ?? ''] ?? null;

/** A disclosure, and the article's outline as headings with places to fill. */
export const draftOf = ({ outline }: PlannedArticle): PageDocument => ({
  blocks: [
    newBlock('disclosure'),
    {
      ...newBlock('article'),
      type: 'article',
      markdown: ['[Your introduction]', ...outline.map((heading) => `## ${heading}\n\n[Your text]`)].join('\n\n'),
    },
  ],
});
