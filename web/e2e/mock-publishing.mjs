// The website builder as the mock answers it: a published site from a starter, one that is a draft, and a simple rendering.
import { readFileSync } from 'node:fs';

const NOW = Date.now();
const HOUR = 3_600_000;
const ago = (hours) => new Date(NOW - hours * HOUR).toISOString();
const LIBRARY = new URL('../../infra/domain/publishing/', import.meta.url);
const NICHES = ['vpn', 'hosting', 'software', 'finance', 'health', 'education', 'ecommerce'];
const HASH = 'd'.repeat(64);

const starterOf = (niche) => JSON.parse(readFileSync(new URL(`templates/${niche}.json`, LIBRARY), 'utf8'));
const css = () => readFileSync(new URL('site.css', LIBRARY), 'utf8');

/** A site of a starter, with its pages by id. */
function siteOf(niche, name) {
  const starter = starterOf(niche);
  const idOf = (key) => `page-${key}`;
  const linked = (value) => {
    if (Array.isArray(value)) return value.map(linked);
    if (typeof value !== 'object' || value === null) return value;
    if (value.kind === 'page') return { kind: 'page', page_id: idOf(value.page) };
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, linked(inner)]));
  };
  const document = {
    name,
    author: '',
    language: 'en',
    theme: {
      light: null,
      dark_colors: null,
      dark: 'auto',
      font: null,
      heading_font: null,
      size: 'normal',
      spacing: null,
      corner: null,
      ...starter.theme,
    },
    navigation: starter.navigation.map(idOf),
    pages: starter.pages.map(({ key, path, title, short_title, description }) => ({
      id: idOf(key),
      path,
      title,
      short_title,
      description,
      is_indexed: true,
    })),
  };
  const pages = new Map(
    starter.pages.map(({ key, blocks }) => [
      idOf(key),
      { blocks: blocks.map((block, index) => filled({ id: `${key}-${index}`, ...linked(block) })) },
    ]),
  );
  return { document, pages };
}

const EMPTY = {
  hero: { text: '', image: null, action: null },
  review: { rating: null, summary: '', pros: [], cons: [], image: null, label: '', target: null },
  comparison: { note: '' },
  offers: { title: '' },
  price: { old_amount: null, note: '', label: '', target: null },
  faq: { title: '' },
  image: { caption: '', target: null },
  newsletter: { text: '', label: '', consent: '' },
};

/** What the server fills in: every field of a block is there. */
function filled(block) {
  const whole = { name: '', ...EMPTY[block.type], ...block };
  if (whole.type === 'offers')
    whole.offers = whole.offers.map((offer) => ({
      text: '',
      image: null,
      price: '',
      label: '',
      target: null,
      ...offer,
    }));
  if (whole.type === 'comparison')
    whole.products = whole.products.map((product) => ({ label: '', target: null, ...product }));
  return whole;
}

export function publishing() {
  const made = siteOf('vpn', 'VPN, measured');
  made.pages.get('page-home').blocks.push({
    id: 'home-image',
    name: '',
    type: 'image',
    image: { hash: HASH, alt: 'Chart of download speeds by server', is_decorative: false, width: 960, height: 540 },
    caption: 'Download speed by server, median of 30 days',
    target: null,
  });
  const summary = (id, changes) => ({
    id,
    websiteId: 'w1',
    name: 'VPN, measured',
    slug: 'vpn-measured',
    address: 'http://127.0.0.1:8001/sites/vpn-measured/',
    domainId: null,
    domain: null,
    pages: made.document.pages.length,
    published: 2,
    publishedAt: ago(30),
    hasChanges: true,
    documentVersion: 4,
    createdAt: ago(400),
    updatedAt: ago(2),
    ...changes,
  });
  const sites = [
    summary('s1'),
    summary('s2', {
      name: 'Tents for families',
      slug: 'tents',
      address: 'https://tents.example/',
      domain: 'tents.example',
      published: null,
      publishedAt: null,
      updatedAt: ago(70),
    }),
  ];
  let version = 6;

  /** [body, status, type], or undefined for another call. */
  return function answer(key, input, empty) {
    if (!key.includes('/api/platform/sites')) return undefined;
    const [method, path] = key.split(' ');
    const [id, part, name, more, last] = path.slice('/api/platform/sites'.length).split('/').slice(1);
    if (id === undefined) return method === 'GET' ? [empty ? [] : sites] : [{ ...sites[0], published: null }, 201];
    if (id === 'starters') return [NICHES.map(starterSummary)];
    if (id === 'images') return [picture(), 200, 'image/svg+xml'];
    const site = sites.find((each) => each.id === id);
    if (!site) return [missing(), 404];
    const saved = { savedAt: ago(2), siteId: id };
    if (part === undefined)
      return method === 'DELETE'
        ? [null, 204]
        : [
            {
              ...site,
              document: made.document,
              pageStates: [...made.pages.keys()].map((page) => ({ id: page, version, ...saved })),
            },
          ];
    if (part === 'document') return [{ ...site, documentVersion: (site.documentVersion += 1) }];
    if (part === 'releases' && method === 'GET') return [releases(made.document.pages.length)];
    if (part === 'subscribers') return method === 'GET' ? [subscribers()] : [null, 204];
    if (part === 'versions')
      return name ? [{ id, version: Number(name), savedAt: ago(4), document: made.document }] : [versions(4)];
    if (part === 'images') return [{ hash: HASH, width: 960, height: 540 }, 201];
    if (part === 'preview')
      return [
        {
          html: render(input.document ?? made.document, input.page ?? made.pages.get(input.pageId) ?? { blocks: [] }),
          problems: [],
          placesToFill: placesIn(input.pageId, input.page ?? made.pages.get(input.pageId) ?? { blocks: [] }),
        },
      ];
    if (part === 'export') return [Buffer.from('PK'), 200, 'application/zip'];
    if (part === 'pages') {
      const page = made.pages.get(name);
      if (more === 'versions') return last ? [{ id: name, version: 5, ...saved, document: page }] : [versions(6)];
      if (method === 'GET') return page ? [{ id: name, version, ...saved, document: page }] : [missing(), 404];
      if (input.basedOn < version || JSON.stringify(input.document).includes('written elsewhere'))
        if (input.basedOn <= 6)
          return [fault(409, 'page_changed', 'This page was changed elsewhere.', [], { version: 7 }), 409];
      const wrong = input.document.blocks.findIndex((block) => block.title === '' || block.product === '');
      if (wrong >= 0) {
        const field = input.document.blocks[wrong].title === '' ? 'title' : 'product';
        const message = `Block ${wrong + 1} (${input.document.blocks[wrong].type}), "${field}" must not be empty.`;
        return [
          fault(400, 'invalid_document', message, [{ field: `document.blocks.${wrong}.${field}`, message }]),
          400,
        ];
      }
      version += 1;
      return [{ id: name, version, ...saved }];
    }
    if (part === 'placeholders') {
      const places = [...made.pages].flatMap(([page, document]) => placesIn(page, document));
      return [{ count: places.length, places }];
    }
    if (part === 'publish' && !input?.allowsPlaceholders) {
      const message = '35 placeholders are not filled in. Fill them in, or publish with the placeholders.';
      return [fault(409, 'placeholders_left', message, []), 409];
    }
    return [site]; // publish, unpublish, address
  };
}

/** The texts in square brackets of a page, by block. */
const placesIn = (pageId, page) =>
  page.blocks.flatMap((block) =>
    textsOf(block, '').flatMap(([field, text]) =>
      (text.match(/\[(?:Name|Your|Date|Price|Result|Number|Reason|Country)\b[^\[\]\n]*\](?!\()/g) ?? []).map(
        (found) => ({
          pageId,
          placement: block.name || block.id,
          field,
          text: found,
        }),
      ),
    ),
  );

const textsOf = (value, field) => {
  if (typeof value === 'string') return [[field, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, field ? `${field}.${key}` : key));
};

const starterSummary = (niche) => {
  const { label, description, pages } = starterOf(niche);
  return { niche, label, description, pages: pages.map(({ title }) => title) };
};
const versions = (count) =>
  Array.from({ length: count }, (_, index) => ({
    version: count - index,
    savedAt: ago(2 + 20 * index),
    restoredFrom: index === 1 ? count - 3 : null,
  }));
const subscribers = () =>
  ['ada', 'embla', 'una'].map((name, index) => ({
    id: `sub-${name}`,
    email: `${name}@example.com`,
    state: index === 0 ? 'pending' : 'confirmed',
    page: '/sites/vpn-measured/',
    block: 'news',
    requestedAt: ago(20 * index + 2),
    confirmedAt: index === 0 ? null : ago(20 * index + 1),
  }));

const releases = (pages) => [
  { number: 2, publishedAt: ago(30), restoredFrom: null, isShown: true, pages },
  { number: 1, publishedAt: ago(300), restoredFrom: null, isShown: false, pages },
];
const fault = (status, code, message, errors, more = {}) => ({
  type: 'about:blank',
  title: code,
  status,
  code,
  message,
  ...(errors.length > 0 ? { errors } : {}),
  ...more,
});
const missing = () => fault(404, 'not_found', 'Site not found.', []);

const picture = () =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="540"><rect width="960" height="540" fill="#dfe5ee"/><path d="M80 440 260 300 420 360 600 180 880 240" fill="none" stroke="#5b2fc4" stroke-width="14"/></svg>';

const escape = (text) => String(text).replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);

/** Not the server's rendering, but with its style sheet and its anchors. */
function render(site, page) {
  const sections = page.blocks.map(
    (block) =>
      `<section id="b-${block.name || block.id}" data-placement="${block.name || block.id}">${html(block)}</section>`,
  );
  const menu = site.pages.filter(({ id }) => site.navigation.includes(id));
  return `<!doctype html><html lang="${escape(site.language)}"><head><meta charset="utf-8"><title>${escape(site.name)}</title><style>${TOKENS}${css()}</style></head><body><header><p><a href="./">${escape(site.name)}</a></p><nav aria-label="Menu"><ul>${menu.map(({ short_title, title }) => `<li><a href="./">${escape(short_title || title)}</a></li>`).join('')}</ul></nav></header><main>${sections.join('')}</main></body></html>`;
}

const TOKENS =
  ':root{--ground:#f8f7fc;--surface:#edebf7;--text:#1d1a2e;--muted:#575271;--accent:#5b2fc4;--on-accent:#ffffff;--line:#d5d0ea;--font:system-ui,sans-serif;--heading:ui-monospace,monospace;--size:1.0625rem;--space:1rem;--corner:.375rem}body{padding:0 24px 24px}';

function html(block) {
  const heading = block.title ?? block.product ?? '';
  const image = block.image
    ? `<img src="/api/platform/sites/images/${block.image.hash}" alt="${escape(block.image.alt)}" width="${block.image.width}" height="${block.image.height}">`
    : '';
  const lists = [...(block.pros ?? []), ...(block.cons ?? [])].map((point) => `<li>${escape(point)}</li>`).join('');
  const offers = (block.offers ?? [])
    .map((offer) => `<h3>${escape(offer.name)}</h3><p>${escape(offer.text)}</p>`)
    .join('');
  const questions = (block.questions ?? [])
    .map(({ question, answer }) => `<details><summary>${escape(question)}</summary>${prose(answer)}</details>`)
    .join('');
  const tag = block.type === 'hero' ? 'h1' : 'h2';
  const text = block.type === 'article' ? prose(block.markdown) : paragraphs(block.text ?? block.summary ?? '');
  const caption = block.caption ? `<p>${escape(block.caption)}</p>` : '';
  return `${heading ? `<${tag}>${escape(heading)}</${tag}>` : ''}${text}${image}${caption}${lists ? `<ul>${lists}</ul>` : ''}${offers}${questions}`;
}

const paragraphs = (text) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((part) => (/^#+ /.test(part) ? `<h2>${escape(part.replace(/^#+ /, ''))}</h2>` : `<p>${escape(part)}</p>`))
    .join('');
const prose = (markdown) => `<div class="prose">${paragraphs(markdown)}</div>`;
