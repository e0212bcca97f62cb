// Why ingest marks an event or an address, in words.

/** Reasons for excluding an event: the values of the filter `reason`, bots first. */
export const REASONS: Readonly<Record<string, string>> = {
  crawler: 'Crawler',
  prefetch: 'Prefetch',
  head: 'Link check',
  headless: 'Headless browser',
  datacentre: 'Data center service',
  spam_referrer: 'Spam referrer',
  no_user_agent: 'No user agent',
  rate: 'Too many from one address',
  burst: 'Burst from one network',
  changing_agents: 'Changing browsers',
  many_links: 'Too many links',
  many_visitors: 'Too many visitors',
  incoherent_headers: 'Non-browser headers',
  datacentre_address: 'Data center address',
  impossible_sequence: 'Impossible sequence',
  remarked: 'Marked by a rule',
  remarked_bot: 'Marked as bots by a rule',
};
export const reasonName = (reason: string): string => REASONS[reason] ?? reason.replaceAll('_', ' ');
