// Types of the marketplace API, taken from its paths: schema names are shared with other contexts.
import type { paths } from '@/lib/api/schema';

type Ok<Operation, Status extends number> = Operation extends {
  responses: Record<Status, { content: { 'application/json': infer Shape } }>;
}
  ? Shape
  : never;
type Reads<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Ok<Operation, 200> : never;
type Takes<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Shape } } };
}
  ? Shape
  : never;

export type Listing = Reads<'/api/marketplace/listings'>[number];
export type ListingInFull = Reads<'/api/marketplace/listings/{id}'>;
export type ListingStatus = Listing['status'];
export type Niche = NonNullable<Listing['niche']>;
export type Verified = NonNullable<ListingInFull['verification']>;
export type VerifiedMonth = Verified['months'][number];
export type Seller = ListingInFull['seller'];
export type Question = Reads<'/api/marketplace/listings/{id}/questions'>[number];
export type Step = Reads<'/api/marketplace/offers/{id}/history'>[number];
export type Offer = Reads<'/api/marketplace/my/offers'>[number];
export type OfferInFull = Reads<'/api/marketplace/offers/{id}'>;
export type OfferStatus = Offer['status'];
export type NextStep = OfferInFull['next'];
export type Escrow = NonNullable<OfferInFull['escrow']>;
export type EscrowStatus = Escrow['status'];
export type Transfer = Reads<'/api/marketplace/offers/{id}/transfer'>;
export type TransferContent = NonNullable<Transfer['content']>;
export type Message = Reads<'/api/marketplace/offers/{id}/messages'>[number];
export type DealTerms = Reads<'/api/marketplace/deal-terms'>;
export type SavedSearch = Reads<'/api/marketplace/my/saved-searches'>[number];
export type Dispute = Reads<'/api/admin/marketplace/disputes'>[number];
export type FlaggedQuestion = Reads<'/api/admin/marketplace/questions'>[number];
export type EscrowCall = Reads<'/api/admin/marketplace/escrow-calls'>[number];

export type ListingFields = Takes<'/api/marketplace/listings'>;
export type Criteria = Takes<'/api/marketplace/saved-searches'>;
export type Decision = Takes<'/api/admin/marketplace/offers/{id}/decide'>;
export type Closing = Takes<'/api/admin/marketplace/offers/{id}/close'>;
export type FlagReason = Takes<'/api/marketplace/questions/{id}/flag'>['reason'];
