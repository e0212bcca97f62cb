// What programs read of the public pages: search engines, sites on which a link is shared, readers of feeds.
const PRODUCT = 'Althing';
/** Listings and threads, which come and go: the server knows them. */
const OF_MEMBERS = '/api/public/sitemap.xml';
/** Of listings: what a shared link shows. */
const PICTURES = '/api/marketplace/images/';
const LOCALE = 'en_US';
const IMAGE = { width: 1200, height: 630 };
const SERVICES = [
  { name: 'Strategy Optimization', price: 2500 },
  { name: 'Growth Acceleration', price: 7500 },
];

/** Tags of a document's head. */
export function head({ origin, path, title, description, image, card }) {
  const url = origin + path;
  const tag = (kind, name, content) => `<meta ${kind}="${name}" content="${escape(content)}" />`;
  return [
    `<title>${escape(title)}</title>`,
    tag('name', 'description', description),
    tag('name', 'robots', 'index, follow'),
    `<link rel="canonical" href="${url}" />`,
    tag('property', 'og:site_name', PRODUCT),
    tag('property', 'og:locale', LOCALE),
    tag('property', 'og:type', card?.kind === 'blog' ? 'article' : 'website'),
    tag('property', 'og:title', title),
    tag('property', 'og:description', description),
    tag('property', 'og:url', url),
    tag('property', 'og:image', origin + image),
    tag('property', 'og:image:width', String(IMAGE.width)),
    tag('property', 'og:image:height', String(IMAGE.height)),
    ...(card?.kind === 'blog' ? [tag('property', 'article:published_time', card.date)] : []),
    tag('name', 'twitter:card', 'summary_large_image'),
    tag('name', 'twitter:title', title),
    tag('name', 'twitter:description', description),
    tag('name', 'twitter:image', origin + image),
    '<link rel="alternate" type="application/rss+xml" title="Blog" href="/blog.xml" />',
    ...described({ origin, path, title, description, image, card }).map(
      (data) =>
        `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll('<', '\\u003c')}</script>`,
    ),
  ].join('\n    ');
}

/** The page in the words of schema.org. */
function described({ origin, path, description, image, card }) {
  const organization = {
    '@type': 'Organization',
    name: PRODUCT,
    url: `${origin}/`,
    logo: `${origin}/favicon.svg`,
    address: { '@type': 'PostalAddress', addressLocality: 'Reykjavík', addressCountry: 'IS' },
  };
  if (path === '/') return [organization, { '@type': 'WebSite', name: PRODUCT, url: `${origin}/`, description }];
  if (path === '/consulting') {
    return SERVICES.map(({ name, price }) => ({
      '@type': 'Service',
      name,
      provider: organization,
      offers: { '@type': 'Offer', price, priceCurrency: 'USD' },
    }));
  }
  if (!card || card.kind === 'legal') return [];
  const crumbs = [
    [card.kind === 'blog' ? 'Blog' : 'Help Center', `/${card.kind}`],
    [card.title, path],
  ];
  return [
    {
      '@type': card.kind === 'blog' ? 'BlogPosting' : 'TechArticle',
      headline: card.title,
      description,
      datePublished: card.date,
      image: origin + image,
      author: organization,
      publisher: organization,
      mainEntityOfPage: origin + path,
    },
    {
      '@type': 'BreadcrumbList',
      itemListElement: crumbs.map(([name, item], index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name,
        item: origin + item,
      })),
    },
  ];
}

export function sitemap(origin, pages) {
  const urls = pages.map(
    ({ path, date }) => `  <url><loc>${escape(origin + path)}</loc>${date ? `<lastmod>${date}</lastmod>` : ''}</url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`;
}

/** `closed`: pages for members. What lies below one of them is left out with it. */
export function robots(origin, closed) {
  const tops = closed
    .map((path) => path.replace(/\$.*/, ''))
    .filter((path, index, all) => all.indexOf(path) === index && !all.some((other) => path.startsWith(`${other}/`)));
  return `User-agent: *\nDisallow: /api/\nAllow: ${OF_MEMBERS}\nAllow: ${PICTURES}\n${tops
    .sort()
    .map((path) => `Disallow: ${path}\n`)
    .join('')}Allow: /\n\nSitemap: ${origin}/sitemap.xml\nSitemap: ${origin}${OF_MEMBERS}\n`;
}

export function feed(origin, cards) {
  const items = cards.map(
    (card) =>
      `    <item><title>${escape(card.title)}</title><link>${origin}/blog/${card.slug}</link><guid isPermaLink="true">${origin}/blog/${card.slug}</guid><pubDate>${new Date(`${card.date}T09:00:00Z`).toUTCString()}</pubDate><description>${escape(card.description)}</description></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">\n  <channel>\n    <title>${PRODUCT} blog</title>\n    <link>${origin}/blog</link>\n    <atom:link href="${origin}/blog.xml" rel="self" type="application/rss+xml" />\n    <description>How affiliate money is counted</description>\n    <language>en</language>\n${items.join('\n')}\n  </channel>\n</rss>\n`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
