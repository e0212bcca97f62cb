// Social channels as the mock answers them.
const channel = (id, network, handle, name, url, links, clicks, conversions, revenue) => ({
  id,
  websiteId: 'w1',
  network,
  handle,
  name,
  url,
  websiteUrl: `https://vpnreview.is/?utm_source=${network}&utm_medium=social&utm_campaign=profile`,
  addedAt: '2026-09-01T00:00:00Z',
  links,
  clicks,
  conversions,
  revenue: { amount: revenue, currency: 'USD' },
});

export const socialChannels = [
  channel('s1', 'instagram', 'vpn.review', '@vpn.review', 'https://www.instagram.com/vpn.review', 3, 1840, 31, 96_250),
  channel(
    's2',
    'youtube',
    'vpn-review',
    'VPN Review, tests and tutorials',
    'https://www.youtube.com/@vpn-review',
    2,
    912,
    27,
    88_100,
  ),
  channel('s3', 'tiktok', 'vpn_review', '@vpn_review', 'https://www.tiktok.com/@vpn_review', 1, 4210, 9, 21_400),
];

/** The answer to a call for social channels; undefined for another one. `link`: makes one of a partner. */
export function socialAnswer(key, input, { isNew, link }) {
  if (key === 'GET /api/platform/social-channels') return [isNew ? [] : socialChannels, 200];
  if (/^POST \/api\/platform\/social-channels\/[^/]+\/links$/.test(key)) return [link(input.partnerId), 201];
  if (key === 'POST /api/platform/social-channels') return [{ ...socialChannels[0], ...input, id: 's9' }, 201];
  if (/^PATCH \/api\/platform\/social-channels\//.test(key)) return [{ ...socialChannels[0], ...input }, 200];
  return undefined;
}
