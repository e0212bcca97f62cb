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

const connections = {
  networks: ['youtube', 'instagram'],
  connections: [
    {
      channelId: 's2',
      name: '@vpn-review',
      hasEnded: false,
      connectedAt: '2026-10-01T09:00:00Z',
      checkedAt: '2026-11-19T09:00:00Z',
      succeededAt: '2026-11-19T09:00:00Z',
      nextAt: '2026-11-20T09:00:00Z',
      problem: null,
      followers: 12_480,
      posts: 96,
      views: 1_240_300,
    },
  ],
};

/** The answer to a call for social channels; undefined for another one. `link`: makes one of a partner. */
export function socialAnswer(key, input, { isNew, link }) {
  if (key === 'GET /api/platform/social-channels') return [isNew ? [] : socialChannels, 200];
  if (key === 'GET /api/platform/social-channels/connections')
    return [isNew ? { networks: [], connections: [] } : connections, 200];
  if (/^POST \/api\/platform\/social-channels\/[^/]+\/connection\/read$/.test(key)) return [null, 202];
  if (/^POST \/api\/platform\/social-channels\/[^/]+\/links$/.test(key)) return [link(input.partnerId), 201];
  if (key === 'POST /api/platform/social-channels') return [{ ...socialChannels[0], ...input, id: 's9' }, 201];
  if (/^PATCH \/api\/platform\/social-channels\//.test(key)) return [{ ...socialChannels[0], ...input }, 200];
  return undefined;
}
