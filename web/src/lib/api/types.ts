// The shapes that the screens use. Reads and commands describe the same thing with more or fewer fields: what both
// have is what a screen may rely on.
import type { components } from './schema';

type Schemas = components['schemas'];
export type Website = Pick<
  Schemas['ListedWebsite'],
  | 'id'
  | 'domain'
  | 'timezone'
  | 'currency'
  | 'createdAt'
  | 'firstEventAt'
  | 'maxClaimAmount'
  | 'maxClaimsPerClick'
  | 'linkClickIds'
  | 'linkImpressionsEvery'
  | 'txidScope'
  | 'keepAdClickIds'
  | 'adClickIdDays'
  | 'adClickIdsNeedConsent'
>;
export type ConnectedWebsite = Pick<
  Schemas['ConnectedWebsite'],
  'id' | 'domain' | 'timezone' | 'currency' | 'siteKey' | 'secretKey' | 'postbackToken'
>;
export type KeyKind = Schemas['KeyKind'];
export type WebsiteKey = Pick<
  Schemas['Key'],
  'id' | 'name' | 'isReadable' | 'key' | 'hint' | 'last4' | 'allowedOrigins' | 'createdAt' | 'lastUsedAt' | 'revokedAt'
> & { kind: KeyKind };
export type NewWebsiteKey = Pick<Schemas['CreatedKey'], 'id' | 'kind' | 'key'>;
export type Partner = Schemas['Partner'];
export type PartnerRequest = Schemas['PartnerRequest'];
export type AdminPartnerRequest = Schemas['AdminPartnerRequest'];
export type SocialChannel = Schemas['ChannelWithFigures'];
export type SocialConnection = Schemas['SocialConnection'];
export type SocialRow = Schemas['SocialRow'];
export type SocialNetwork = SocialChannel['network'];
export type Link = Schemas['LinkWithFigures'];
export type LinkSplit = Schemas['LinkSplit'];
export type NewLink = Pick<Schemas['Link'], 'id' | 'slug' | 'url' | 'passesClickId'>;
export type ConversionStatus = Schemas['ConversionStatus'];
export type Money = Schemas['Amount'];
export type Conversion = Schemas['Conversion'] &
  Partial<
    Pick<
      Schemas['ConversionInFull'],
      | 'conflicts'
      | 'unread'
      | 'keyKind'
      | 'clickBotReason'
      | 'otherEvents'
      | 'adjustment'
      | 'linkSlug'
      | 'country'
      | 'device'
      | 'source'
      | 'subs'
      | 'coupon'
      | 'customer'
      | 'reportedBy'
      | 'decision'
      | 'network'
      | 'isVoid'
    >
  >;
export type Explanation = Schemas['Explanation'];
export type Statement = Schemas['Statement'];
export type StatementMonth = Schemas['Month'];
export type ConversionTotals = Schemas['MatchingTotals'];
export type ScheduledDecision = Schemas['ScheduledDecisionState'];
export type Overview = Schemas['Overview'];
export type Figures = Schemas['Figures'];
export type ClickPoint = Schemas['ClickPoint'];
export type PartnerPerformance = Schemas['PartnerPerformance'];
export type CountryPerformance = Schemas['CountryPerformance'];
export type Delivery = Schemas['Delivery'];
export type ExcludedTraffic = Schemas['ExcludedTraffic'];
export type TrafficRule = Schemas['TrafficRule'];
export type LiveData = Schemas['LiveData'];
export type LiveEvent = Schemas['LiveEvent'];
export type About = Schemas['About'];
export type Activity = Schemas['Activity'];
export type AdminPartner = Schemas['AdminPartner'];
export type Terms = Schemas['TermsShape'];
export type TermsSince = Schemas['TermsSince'];
export type AdminLink = Schemas['AdminLink'];
export type TrackedClick = Schemas['TrackedClick'];
export type Account = Schemas['User'];
export type LinkedSignIn = Schemas['LinkedSignIn'];
export type SignInProvider = Schemas['SignInProvider'];
export type InviteCode = Schemas['InviteCode'];
export type AuditEntry = Schemas['AuditEntry'];
export type AdminWebsite = Schemas['AdminWebsite'];
export type AdminDomain = Schemas['AdminDomain'];
export type AdminAccount = Schemas['AdminAccount'];
export type OutboxMail = Schemas['OutboxMail'];
export type CustomDomain = Schemas['CustomDomain'];
