// Listings and deals, for tests.
import type { Ok } from './http';

type Listing = Ok<'/api/marketplace/listings'>[number];
type ListingInFull = Ok<'/api/marketplace/listings/{id}'>;
type Deal = Ok<'/api/marketplace/offers/{id}'>;
type Escrow = NonNullable<Deal['escrow']>;

const AT = '2026-11-20T12:00:00Z';
const usd = (dollars: number) => ({ amount: dollars * 100, currency: 'USD' });

export const listing = (over: Partial<Listing> = {}): Listing => ({
  id: 'l1',
  title: 'VPN reviews',
  websiteUrl: 'https://vpnreview.example',
  description: 'Reviews of every VPN, with steady traffic from search.',
  niche: 'vpn',
  status: 'active',
  askingPrice: 45_000,
  monthlyRevenue: 1850,
  monthlyProfit: 1500,
  monthlyTraffic: 12_500,
  yearsEstablished: 3,
  verificationStatus: 'pending',
  createdAt: AT,
  image: null,
  ...over,
});

export const listingInFull = (over: Partial<ListingInFull> = {}): ListingInFull => ({
  ...listing(),
  currency: 'USD',
  images: [],
  seller: {
    id: 's1',
    name: 'Jón',
    memberSince: '2025-03-01T00:00:00Z',
    activeListings: 2,
    verifiedListings: 1,
    soldListings: 1,
  },
  verification: null,
  verificationNote: null,
  publishedAt: AT,
  expiresAt: '2027-02-18T12:00:00Z',
  isMine: false,
  isReviewer: false,
  hasReviewer: false,
  isWatched: false,
  myOffer: null,
  websiteId: null,
  edition: null,
  reason: null,
  ...over,
});

export const verification = (): NonNullable<ListingInFull['verification']> => ({
  asOf: AT,
  provenDomain: 'vpnreview.example',
  share: { months: 9, monthsInLog: 12, traffic: 81.5, revenue: 64 },
  monthlyTraffic: 10_000,
  monthlyRevenue: usd(2000),
  tolerancePercent: 10,
  trafficOverstated: true,
  revenueOverstated: false,
  trafficDifference: 25,
  revenueDifference: -7.5,
  months: Array.from({ length: 12 }, (_, index) => ({
    month: `${index === 0 ? 2025 : 2026}-${String(index === 0 ? 12 : index).padStart(2, '0')}-01`,
    visitors: 8000 + index * 300,
    pageviews: 20_000 + index * 500,
    revenue: usd(1700 + index * 50),
  })),
});

export const escrow = (over: Partial<Escrow> = {}): Escrow => ({
  id: 'e1',
  status: 'agreed',
  price: usd(40_000),
  isDirect: false,
  buyerConfirmedAt: null,
  sellerConfirmedAt: null,
  payUntil: '2026-11-27T12:00:00Z',
  paymentUrl: null,
  inspectFrom: null,
  inspectUntil: null,
  disputedBy: null,
  disputeText: null,
  outcome: null,
  decisionReason: null,
  toSeller: null,
  toBuyer: null,
  ...over,
});

export const deal = (over: Partial<Deal> = {}): Deal => ({
  id: 'o1',
  listingId: 'l1',
  listingTitle: 'VPN reviews',
  listingStatus: 'active',
  side: 'buyer',
  otherName: 'Jón',
  status: 'sent',
  price: usd(40_000),
  turn: 'seller',
  isOnHold: false,
  expiresAt: '2026-11-27T12:00:00Z',
  createdAt: AT,
  updatedAt: AT,
  escrowStatus: null,
  escrow: null,
  escrowKind: 'real',
  next: 'wait',
  buyerName: 'Sigrún',
  sellerName: 'Jón',
  ...over,
});
