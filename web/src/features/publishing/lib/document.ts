// Documents of the website builder, as the server defines them (infra/domain/publishing): names are those of the JSON.

export type Target =
  | { readonly kind: 'link'; readonly link_id: string }
  | { readonly kind: 'page'; readonly page_id: string }
  | { readonly kind: 'web'; readonly url: string; readonly is_sponsored?: boolean };

export interface Image {
  readonly hash: string;
  readonly alt: string;
  readonly is_decorative: boolean;
  readonly width: number;
  readonly height: number;
}

export interface Action {
  readonly label: string;
  readonly target: Target | null;
}

interface Base {
  readonly id: string;
  /** Its readable name in analytics. */
  readonly name?: string;
}

/** Drawings of the product for a hero without an image. */
export type Art = 'none' | 'shield' | 'servers' | 'windows' | 'chart' | 'leaf' | 'book' | 'parcel';

export interface Hero extends Base {
  readonly type: 'hero';
  readonly title: string;
  readonly text: string;
  readonly image: Image | null;
  readonly art?: Art;
  readonly action: Action | null;
}
export interface Article extends Base {
  readonly type: 'article';
  readonly markdown: string;
}
export interface Review extends Base {
  readonly type: 'review';
  readonly product: string;
  /** Tenths of a star. */
  readonly rating: number | null;
  readonly summary: string;
  readonly pros: readonly string[];
  readonly cons: readonly string[];
  readonly image: Image | null;
  readonly label: string;
  readonly target: Target | null;
}
export type Cell =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'yes' } | { readonly kind: 'no' };
export interface ComparedProduct {
  readonly name: string;
  readonly label: string;
  readonly target: Target | null;
}
export interface ComparedFeature {
  readonly feature: string;
  readonly values: readonly Cell[];
}
export interface Comparison extends Base {
  readonly type: 'comparison';
  readonly title: string;
  readonly note: string;
  readonly products: readonly ComparedProduct[];
  readonly rows: readonly ComparedFeature[];
}
export interface Offer {
  readonly name: string;
  readonly text: string;
  readonly image: Image | null;
  readonly price: string;
  readonly label: string;
  readonly target: Target | null;
}
export interface Offers extends Base {
  readonly type: 'offers';
  readonly title: string;
  readonly offers: readonly Offer[];
}
export interface Price extends Base {
  readonly type: 'price';
  readonly product: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly old_amount: number | null;
  readonly note: string;
  readonly label: string;
  readonly target: Target | null;
}
export interface Question {
  readonly question: string;
  readonly answer: string;
}
export interface Faq extends Base {
  readonly type: 'faq';
  readonly title: string;
  readonly questions: readonly Question[];
}
export interface Picture extends Base {
  readonly type: 'image';
  readonly image: Image;
  readonly caption: string;
  readonly target: Target | null;
}
export interface Newsletter extends Base {
  readonly type: 'newsletter';
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly consent: string;
}
export interface Disclosure extends Base {
  readonly type: 'disclosure';
  readonly text: string;
}

export type Block = Hero | Article | Review | Comparison | Offers | Price | Faq | Picture | Newsletter | Disclosure;
export type BlockType = Block['type'];
/** A page: its blocks, in order. */
export interface PageDocument {
  readonly blocks: readonly Block[];
}

export interface Palette {
  readonly ground: string;
  readonly surface: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly on_accent: string;
  readonly line: string;
}
/** A ready theme with changes; null: as the ready one has it. */
export interface Theme {
  readonly preset: string;
  readonly light: Palette | null;
  readonly dark_colors: Palette | null;
  readonly dark: 'off' | 'auto';
  readonly font: string | null;
  readonly heading_font: string | null;
  readonly size: string;
  readonly spacing: string | null;
  readonly corner: string | null;
}
export interface SitePage {
  readonly id: string;
  /** Empty: the home page. */
  readonly path: string;
  readonly title: string;
  readonly short_title: string;
  readonly description: string;
  readonly is_indexed: boolean;
}
export interface SiteDocument {
  readonly name: string;
  readonly author: string;
  /** Stands in the header of every page and in the browser's tab; documents of before have none. */
  readonly logo?: Image | null;
  readonly language: string;
  readonly theme: Theme;
  readonly navigation: readonly string[];
  readonly pages: readonly SitePage[];
}

export const MAX_BLOCKS = 200;
export const MAX_PAGES = 64;
export const MAX_MENU = 12;
/** Of a page. */
export const MAX_TITLE = 120;
