// Changes of many links: what one would do, that it has ended, and what it left as it was.
const NAMED = 'Its rules or split lead to https://nordvpn.com/is. Keep the page, or edit the link alone.';

/** The answer and its status. */
export function changedLinks(key, links, partners, input) {
  if (key.endsWith('/plan')) return [plan(links, partners, input)];
  if (key.startsWith('POST')) return [{ id: 'b1', links: links.length, done: 0, state: 'running' }, 201];
  if (key.endsWith('/outcomes'))
    return [[{ linkId: 'l0', slug: links[0]?.slug ?? null, isChanged: false, code: 'has_routing', message: NAMED }]];
  return [
    {
      id: 'b1',
      websiteId: 'w1',
      kind: 'move',
      partnerName: 'Surfshark',
      find: '',
      replacement: '',
      addTags: [],
      folder: null,
      isArchived: null,
      undoes: null,
      links: links.length,
      done: links.length,
      changed: Math.max(0, links.length - 1),
      failed: 1,
      state: 'finished',
      startedAt: '2026-11-20T10:00:00Z',
      endedAt: '2026-11-20T10:00:02Z',
    },
  ];
}

function plan(links, partners, input) {
  const to = partners.find((item) => item.id === input?.move?.partnerId)?.baseUrl ?? 'https://partner.example/';
  const shown = links.map((link, index) => ({
    id: link.id,
    slug: link.slug,
    before: link.destination,
    after: index === 0 ? link.destination : to,
    others: index === 1 ? 2 : 0,
    passesClickId: index !== 2,
    code: index === 0 ? 'has_routing' : null,
    message: index === 0 ? NAMED : null,
  }));
  return { links: links.length, changed: Math.max(0, links.length - 1), refused: Math.min(1, links.length), shown };
}
