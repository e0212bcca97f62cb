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

const NONE = { postId: null, picture: null, publishedAt: null, utmContent: null, networkClicks: null, asOf: null };
const ofChannel = ({ id, network, name, url, clicks, conversions, revenue }, followers, views) => ({
  ...NONE,
  kind: 'channel',
  channelId: id,
  network,
  name,
  url,
  followers,
  views,
  clicks,
  conversions,
  revenueAmount: revenue.amount,
  currency: 'USD',
  clickRate: views ? (100 * clicks) / views : null,
  conversionRate: (100 * conversions) / clicks,
});
const ofPost = (of, postId, name, url, publishedAt, [views, clicks, conversions, amount], picture = null) => ({
  ...ofChannel({ ...of, name, url, clicks, conversions, revenue: { amount } }, null, views),
  kind: 'post',
  postId,
  picture,
  publishedAt,
  utmContent: `post-${postId}`,
  asOf: views ? '2026-11-19' : null,
});
const [instagram, youtube, tiktok] = socialChannels;
const report = [
  ofChannel(instagram, 8_412, 96_400),
  ofPost(
    instagram,
    'sp1',
    'Which VPN keeps its promise? Five tested for a month',
    'https://www.instagram.com/p/DAbCdEfGhIj/',
    '2026-11-17T16:00:00Z',
    [31_200, 870, 18, 56_400],
    'a1',
  ),
  ofPost(instagram, 'sp2', 'Travel checklist', 'https://www.instagram.com/reel/DAbCdEfGhIk/', '2026-11-03T09:30:00Z', [
    null,
    122,
    1,
    2_900,
  ]),
  ofChannel(youtube, 12_480, 41_300),
  ofPost(
    youtube,
    'sp3',
    'How to set up a VPN on your router',
    'https://www.youtube.com/watch?v=aBcDeFgHiJk',
    '2026-10-29T18:00:00Z',
    [18_900, 640, 21, 70_300],
    'a2',
  ),
  ofChannel(tiktok, null, null),
];
/** The answer to a call for social channels; undefined for another one. `link`: makes one of a partner. */
export function socialAnswer(key, input, { isNew, link }) {
  if (key === 'GET /api/platform/social-channels') return [isNew ? [] : socialChannels, 200];
  if (key === 'GET /api/platform/social-channels/connections')
    return [isNew ? { networks: [], connections: [] } : connections, 200];
  if (key === 'GET /api/platform/social-report') return [isNew ? [] : report, 200];
  if (/^POST \/api\/platform\/social-channels\/[^/]+\/figures$/.test(key))
    return /^(.*,)?(Post time|Video Views)/i.test(input.csv.split('\n')[0])
      ? [
          {
            type: 'about:blank',
            title: 'other_network',
            status: 400,
            code: 'other_network',
            message: 'This looks like an export of TikTok.',
            errors: [{ field: 'csv', message: 'This looks like an export of TikTok.' }],
          },
          400,
        ]
      : [{ days: 0, postsAdded: 1, postsChanged: 3, leftOut: 0 }, 200];
  if (/^(POST|PATCH|DELETE) \/api\/platform\/social-(channels\/[^/]+\/posts|posts\/)/.test(key))
    return postAnswer(key, input);
  if (/^POST \/api\/platform\/social-channels\/[^/]+\/connection\/read$/.test(key)) return [null, 202];
  if (/^POST \/api\/platform\/social-channels\/[^/]+\/links$/.test(key)) return [link(input.partnerId), 201];
  if (key === 'POST /api/platform/social-channels') return [{ ...socialChannels[0], ...input, id: 's9' }, 201];
  if (/^PATCH \/api\/platform\/social-channels\//.test(key)) return [{ ...socialChannels[0], ...input }, 200];
  return undefined;
}

function postAnswer(key, input) {
  const post = {
    id: 'sp1',
    channelId: 's1',
    websiteId: 'w1',
    address: 'https://www.instagram.com/p/DAbCdEfGhIj/',
    title: 'Which VPN keeps its promise? Five tested for a month',
    publishedAt: '2026-11-17T16:00:00Z',
    picture: 'a1',
    utmContent: 'post-sp1',
  };
  if (key.endsWith('/images')) return [{ ...post, picture: key.startsWith('POST') ? 'a1' : null }, 200];
  if (key.startsWith('DELETE')) return [null, 204];
  return [{ ...post, ...input }, key.startsWith('POST') ? 201 : 200];
}
