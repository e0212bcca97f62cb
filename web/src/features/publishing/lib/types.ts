// What the server says about sites: documents are typed as the editor uses them, which the API's description does not.
import type { components } from '@/lib/api/schema';
import type { PageDocument, SiteDocument } from './document';

type Schemas = components['schemas'];

/** An answer with the document of a site. */
export type OfSite<T> = Omit<T, 'document'> & { readonly document: SiteDocument };

export type Starter = Schemas['StarterSummary'];
export type Niche = Starter['niche'];
export type SiteSummary = Schemas['SiteSummary'];
/** A page without an entry in `pageStates` is empty. */
export type Site = OfSite<Schemas['SiteDetails']>;
export type SiteState = Schemas['SiteState'];
/** Version 0 was never saved. Its document is checked where it is edited. */
export type SavedPage = Omit<Schemas['PageDetails'], 'document'> & { readonly document: unknown };
export type SavedSite = OfSite<Schemas['SiteVersionDetails']>;
export type PageVersion = Schemas['Version'];
export type Release = Schemas['Release'];
export type StoredImage = Schemas['ImageState'];
export type Rendered = Schemas['Preview'];
/** A text in square brackets that is to fill in. */
export type Placeholder = Schemas['PlaceToFill'];
export type NewSite = Schemas['NewSite'];
export type Address = Required<Schemas['SiteAddress']>;

export interface Save<Document> {
  readonly document: Document;
  readonly basedOn: number;
  readonly restoredFrom?: number;
}

export interface PreviewOrder {
  readonly pageId: string;
  /** Null: what is saved. */
  readonly page: PageDocument | null;
  readonly document: SiteDocument | null;
}
