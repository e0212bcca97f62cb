// What the server says about sites.
import type { SiteDocument } from './document';

export const NICHES = ['vpn', 'hosting', 'software', 'finance', 'health', 'education', 'ecommerce'] as const;
export type Niche = (typeof NICHES)[number];

export interface Starter {
  readonly niche: Niche;
  readonly label: string;
  readonly description: string;
  readonly pages: readonly string[];
}

export interface SiteSummary {
  readonly id: string;
  readonly websiteId: string;
  readonly name: string;
  readonly slug: string;
  /** Where visitors find it once it is published. */
  readonly address: string;
  readonly domainId: string | null;
  readonly domain: string | null;
  readonly pages: number;
  /** Number of the release that visitors see. */
  readonly published: number | null;
  readonly publishedAt: string | null;
  /** Something was saved that is not published. */
  readonly hasChanges: boolean;
  readonly documentVersion: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Site extends SiteSummary {
  readonly document: SiteDocument;
  /** A page without an entry is empty. */
  readonly pageStates: readonly PageState[];
}

export interface SiteState {
  readonly id: string;
  readonly documentVersion: number;
  readonly published: number | null;
}

export interface PageState {
  readonly id: string;
  readonly version: number;
  readonly savedAt: string;
}

export interface SavedPage {
  readonly id: string;
  readonly version: number;
  /** Null: never saved. */
  readonly savedAt: string | null;
  readonly siteId: string;
  readonly document: unknown;
}

export interface SavedSite extends PageState {
  readonly document: SiteDocument;
}

export interface PageVersion {
  readonly version: number;
  readonly savedAt: string;
  readonly restoredFrom: number | null;
}

export interface Release {
  readonly number: number;
  readonly publishedAt: string;
  readonly restoredFrom: number | null;
  readonly isShown: boolean;
  readonly pages: number;
}

export interface StoredImage {
  readonly hash: string;
  readonly width: number;
  readonly height: number;
}

export interface Rendered {
  /** A whole document without scripts. */
  readonly html: string;
  readonly problems: readonly { readonly code: string; readonly message: string; readonly placement: string }[];
  /** Texts of a starter that still stand in square brackets. */
  readonly placesToFill: readonly { readonly placement: string; readonly field: string; readonly text: string }[];
}
