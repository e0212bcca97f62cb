// Links that are imported from a file, one that is archived, and the changes of one link.
const line = (number, slug, outcome, more = {}) => ({
  line: number,
  slug,
  outcome,
  destination: outcome === 'refused' ? null : `https://nordvpn.com/${slug}`,
  columns: [],
  message: null,
  ...more,
});

const PLAN = {
  created: 2,
  changed: 0,
  unchanged: 0,
  refused: 2,
  lines: [
    line(3, 'review', 'refused', { columns: ['slug'], message: 'You already have a link review.' }),
    line(5, 'winter', 'refused', {
      columns: ['destination'],
      message: "The destination must be on nordvpn.com, the partner's domain.",
    }),
    line(2, 'spring', 'new'),
    line(4, 'autumn', 'new'),
  ],
};

const HISTORY = [
  {
    version: 3,
    at: '2026-11-20T09:30:00Z',
    by: 'you',
    bulkId: 'b1',
    changes: [
      { field: 'partner', before: 'ExpressVPN', after: 'NordVPN' },
      { field: 'destination', before: 'https://expressvpn.example/offer', after: 'https://nordvpn.com/' },
    ],
  },
  {
    version: 2,
    at: '2026-11-12T16:05:00Z',
    by: 'someone else',
    bulkId: null,
    changes: [{ field: 'tags', before: '', after: 'review, vpn' }],
  },
  {
    version: 1,
    at: '2026-09-01T08:00:00Z',
    by: 'you',
    bulkId: null,
    changes: [
      { field: 'partner', before: '', after: 'ExpressVPN' },
      { field: 'destination', before: '', after: 'https://expressvpn.example/offer' },
      { field: 'state', before: '', after: 'on' },
    ],
  },
];

/** The answer; none for another call. */
export function linkFiles(key) {
  if (key === 'POST /api/platform/links/import/plan') return PLAN;
  if (key === 'POST /api/platform/links/import') return { created: 2, changed: 0, unchanged: 0 };
  if (key === 'POST /api/platform/links/organize') return { changed: 1 };
  if (/^GET \/api\/platform\/links\/[^/]+\/history$/.test(key)) return HISTORY;
  return null;
}
