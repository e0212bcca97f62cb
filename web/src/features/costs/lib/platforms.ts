// The platforms whose exports can be imported, in the order in which they are offered.
export const PLATFORMS = [
  { id: 'google_ads', label: 'Google Ads' },
  { id: 'microsoft', label: 'Microsoft Advertising' },
  { id: 'meta', label: 'Meta Ads' },
  { id: 'tiktok', label: 'TikTok Ads' },
  { id: 'generic', label: 'Another file' },
] as const;

export const platformLabel = (id: string): string => PLATFORMS.find((one) => one.id === id)?.label ?? id;

/** What a column of a file can be, the necessary ones first. */
export const FIELDS = [
  { id: 'day', label: 'Day' },
  { id: 'cost', label: 'Cost' },
  { id: 'currency', label: 'Currency' },
  { id: 'campaign', label: 'Campaign' },
  { id: 'content', label: 'Content (ad)' },
  { id: 'term', label: 'Term (keyword)' },
] as const;
