// What the command palette finds among the seeded websites, partners, links and conversions, and in forum and marketplace.
const THREADS = [
  'Which cookie window converts best for VPN comparisons?',
  'From 0 to $3,200 a month with a hosting comparison: all numbers',
];
const LISTINGS = [
  ['VPN reviews with steady search traffic', 'vpn'],
  ['Hosting compared by measured uptime', 'hosting'],
];

/** The results for `words`, kind by kind as the API sends them. */
export function found(words, { websites, partners, links, conversions }) {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return [];
  const row = (kind, id, title, detail, websiteId = null) => ({ kind, id, title, detail, websiteId });
  const all = [
    ...websites.map((site) => row('website', site.id, site.domain, '', site.id)),
    ...partners.map((partner) => row('partner', partner.id, partner.name, partner.isActive ? '' : 'Inactive')),
    ...links.map((link) => row('link', link.id, link.slug, `${link.partnerName} · vpnreview.is`, link.websiteId)),
    ...conversions.map((sale) =>
      row('transaction', sale.id, sale.txid, `${sale.status} · ${sale.partnerName} · vpnreview.is`, sale.websiteId),
    ),
    ...THREADS.map((title, index) => row('thread', `t${index + 1}`, title, 'Case Studies')),
    ...LISTINGS.map(([title, niche], index) => row('listing', `m${index + 1}`, title, niche)),
  ];
  const hits = all.filter((item) =>
    `${item.title} ${item.kind === 'link' ? item.detail : ''}`.toLowerCase().includes(wanted),
  );
  return [...new Set(hits.map(({ kind }) => kind))].flatMap((kind) =>
    hits.filter((item) => item.kind === kind).slice(0, 5),
  );
}
