// The public pages, by the sections of the specification.
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { listingInFull } from '@/test/marketplace';
import { renderApp } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { about, server } from '@/test/server';
import { figuresOfDocument } from '@/features/site/lib/figures';

const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });
const description = () => document.head.querySelector('meta[name=description]')?.getAttribute('content') ?? '';
const robots = () => document.head.querySelector('meta[name=robots]')?.getAttribute('content');
const canonical = () => document.head.querySelector('link[rel=canonical]')?.getAttribute('href') ?? null;

test('spec §1, §2, §9, home: eight features, the statistics, both forms and the share section, under the tagline', async () => {
  renderApp('/');
  await heading(/Finding the perfect/);
  expect(screen.getByText(/^Across all industries, with Iceland-based secure infrastructure\./)).toBeInTheDocument();
  const features = screen.getByRole('region', { name: 'Everything an affiliate business needs' });
  expect(
    within(features)
      .getAllByRole('heading', { level: 3 })
      .map((item) => item.textContent),
  ).toEqual([
    'AI idea and niche generation',
    'Drag-and-drop website builder',
    'Link tracking',
    'Partner network',
    'Social integration',
    'Marketplace',
    'Learning hub',
    'Forum',
  ]);
  expect(within(features).getByText(/Geo-targeting, conversion tracking and real-time analytics/)).toBeInTheDocument();
  expect(within(features).getByText(/Instagram, TikTok and YouTube/)).toBeInTheDocument();
  const statistics = screen.getByRole('region', { name: 'Statistics' });
  await within(statistics).findByText('2.4M+');
  const figures = within(statistics)
    .getAllByRole('term')
    .map((term) => `${term.nextElementSibling?.textContent} ${term.textContent}`);
  expect(figures).toEqual([
    '2.4M+ monthly clicks',
    '24.5% average conversion',
    '500+ active partners',
    '$180K monthly revenue',
    '10+ years in security',
    '50K+ protected users',
    '0 data breaches',
  ]);
  expect(
    within(statistics)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['Military-grade security', '256-bit encryption', 'Zero-knowledge architecture', '100% green energy']);
  expect(screen.getByRole('heading', { name: 'Newsletter' })).toBeInTheDocument();
  expect(screen.getByLabelText('Name (optional)')).toBeInTheDocument();
  expect(screen.getAllByRole('button', { name: 'Get Early Access' })).toHaveLength(2);
  expect(
    within(screen.getByRole('group', { name: 'Share' })).getByRole('button', { name: 'Copy Link' }),
  ).toBeInTheDocument();
});

test('spec §3, home: the newsletter of the home page has its source', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post('/api/public/newsletter/subscribe', async ({ request }) => {
      sent.push(await request.json());
      return json({ ok: true, message: 'x' });
    }),
  );
  const { user } = renderApp('/');
  const form = (await screen.findByLabelText('Name (optional)')).closest('form') as HTMLFormElement;
  await user.type(within(form).getByLabelText('Email'), 'ada@example.com{Enter}');
  await waitFor(() => expect(sent).toEqual([{ email: 'ada@example.com', source: 'home_page', website: '' }]));
});

test('spec §1: the card of the website builder leads to it', async () => {
  renderApp('/');
  await heading(/Finding the perfect/);
  const card = screen.getByText(/Put a review site together from blocks/).closest('li');
  if (!card) throw new Error('No card.');
  expect(within(card).queryByText('Later')).not.toBeInTheDocument();
  expect(within(card).getByRole('link', { name: 'Build a site' })).toHaveAttribute('href', '/builder');
});

test('spec §1, §2, §3, about: its badges, mission, four reasons, three people and the way in', async () => {
  renderApp('/about');
  await heading('About Althing');
  expect(screen.getByText('Reykjavík, Iceland')).toBeInTheDocument();
  expect(screen.getByText('Security-focused')).toBeInTheDocument();
  expect(screen.getByText(/^Our mission/)).toBeInTheDocument();
  expect(within(screen.getByRole('region', { name: 'Why Iceland' })).getAllByRole('listitem')).toHaveLength(4);
  const team = within(screen.getByRole('region', { name: 'The team' })).getAllByRole('listitem');
  expect(team).toHaveLength(3);
  for (const member of team) expect(member.querySelectorAll('h3, p')).toHaveLength(3);
  expect(
    within(screen.getByRole('region', { name: 'Contact' })).getByText('We reply within 24 hours.'),
  ).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Join the Platform' })).toHaveAttribute('href', '/login');
});

test('spec §2, about: the company and its product, and the address to write to, where the operator gave one', async () => {
  server.use(http.get('/api/platform/about', () => json({ ...about, contactEmail: 'hello@example.com' })));
  renderApp('/about');
  expect(await screen.findByRole('region', { name: 'The company and its product' })).toBeInTheDocument();
  const contact = within(screen.getByRole('region', { name: 'Contact' }));
  expect(await contact.findByRole('link', { name: 'hello@example.com' })).toHaveAttribute(
    'href',
    'mailto:hello@example.com',
  );
});

test('spec §2, about: without an address of the operator it leads to the contact form', async () => {
  renderApp('/about');
  const contact = within(await screen.findByRole('region', { name: 'Contact' }));
  expect(contact.getByRole('link', { name: 'Contact form' })).toHaveAttribute('href', '/contact');
});

test('marketing figures are as the operator words them, and a hidden one is not there', async () => {
  const figures = { ...about.figures, protectedUsers: '312', dataBreaches: null };
  server.use(http.get('/api/platform/about', () => json({ ...about, figures })));
  renderApp('/');
  const statistics = within(await screen.findByRole('region', { name: 'Statistics' }));
  expect(await statistics.findByText('312')).toBeInTheDocument();
  expect(statistics.queryByText('data breaches')).not.toBeInTheDocument();
  expect(statistics.queryByText('50K+')).not.toBeInTheDocument();
});

test('the app takes the figures of a built page from the page itself', () => {
  const built = document.createElement('div');
  built.innerHTML =
    '<div id="figures"><dl><div data-figure="protected_users"><dt>protected users</dt><dd>&lt;7&gt;</dd></div></dl></div>';
  document.body.append(built);
  expect(figuresOfDocument()).toEqual([
    { name: 'protected_users', label: 'protected users', of: 'security', value: '<7>' },
  ]);
  built.remove();
  expect(figuresOfDocument()).toBeUndefined();
});

test('the contact page never leads to itself: without an address of the operator its own form is named', async () => {
  renderApp('/contact');
  await heading('Write to us');
  const main = within(screen.getByRole('main'));
  expect(main.getByText('Use the contact form')).toBeInTheDocument();
  expect(main.queryByRole('link', { name: 'Contact form' })).not.toBeInTheDocument();
});

test('spec §2, §9, consulting: three services, whose buttons lead to the form with the service chosen', async () => {
  const { user, router } = renderApp('/consulting');
  await heading('Earn more from the visitors you have');
  const cards = within(screen.getByRole('region', { name: 'Services' }))
    .getAllByRole('heading', { level: 3 })
    .map((item) => item.closest('li')?.textContent ?? '');
  expect(cards).toHaveLength(3);
  expect(cards[0]).toMatch(/^Strategy Optimization.*\$2,500one-time/);
  expect(cards[1]).toMatch(/^Growth AccelerationPopular.*\$7,5003-month program.*3 months of ongoing optimization/);
  expect(cards[2]).toMatch(/^Enterprise Solution.*Customcontact for pricing/);
  expect(screen.getByRole('heading', { name: 'Ready to Get Started?' })).toBeInTheDocument();
  expect(screen.getByLabelText('Service Interest')).toHaveValue('');
  await user.click(screen.getByRole('link', { name: 'Contact Sales: Enterprise Solution' }));
  await waitFor(() => expect(screen.getByLabelText('Service Interest')).toHaveValue('Enterprise Solution'));
  expect(router.state.location.href).toBe('/consulting?service=Enterprise+Solution#inquiry');
  await user.click(screen.getByRole('link', { name: 'Get Started: Growth Acceleration' }));
  await waitFor(() => expect(screen.getByLabelText('Service Interest')).toHaveValue('Growth Acceleration'));
});

test.each([
  ['/contact', 'Write to us', 'Contact'],
  ['/pricing', 'The platform is free. Our time is not.', 'Pricing'],
  ['/integrations', 'Works with what you have', 'Integrations'],
  ['/careers', 'Careers', 'Careers'],
  ['/blog', 'How affiliate money is counted', 'Blog'],
  ['/help', 'How can we help?', 'Help Center'],
  ['/privacy', 'Privacy Policy', 'Privacy Policy'],
  ['/terms', 'Terms of Service', 'Terms of Service'],
  ['/docs/api', 'Tracking API', 'API Documentation'],
])('%s has a screen, a title, a description and an address of its own', async (path, h1, title) => {
  renderApp(path);
  await heading(h1);
  await waitFor(() => expect(document.title).toBe(`${title} · Althing`));
  expect(description().length).toBeGreaterThan(20);
  expect(canonical()).toBe(`${window.location.origin}${path}`);
});

test("a listing is for search engines, with the seller's own words; one that does not exist is not", async () => {
  const shown = listingInFull({ title: 'Wool shop', description: `Sells  wool.\n\n${'Warm and dry. '.repeat(30)}` });
  server.use(
    http.get('/api/marketplace/listings/{id}', ({ params }) =>
      params['id'] === 'l1' ? json(shown) : refuse(404, 'Listing not found.'),
    ),
    http.get('/api/marketplace/listings/{id}/questions', () => json([])),
    http.get('/api/marketplace/listings/{id}/history', () => json([])),
  );
  const { router } = renderApp('/marketplace/listing/l1');
  await heading('Wool shop');
  await waitFor(() => expect(document.title).toBe('Wool shop · Althing'));
  expect(description()).toMatch(/^Sells wool\. Warm and dry\..* …$/);
  expect(description().length).toBeLessThan(170);
  expect(canonical()).toBe(`${window.location.origin}/marketplace/listing/l1`);
  expect(robots()).toBe('index, follow');
  await act(() => router.navigate({ to: '/marketplace/listing/$id', params: { id: 'l2' } }));
  await heading('404 Page Not Found');
  await waitFor(() => expect(robots()).toBe('noindex'));
  expect(canonical()).toBeNull();
});

test('a thread that is not there is a page that does not exist; one that cannot be read now still is one', async () => {
  server.use(
    http.get('/api/forum/categories', () => json([])),
    http.get('/api/forum/threads/{id}', ({ params }) => refuse(params['id'] === 't1' ? 503 : 404, 'No')),
    http.post('/api/public/forum/threads/{id}/view', () => noContent()),
  );
  const { router } = renderApp('/forum/thread/t1');
  await screen.findByText(/Error loading the thread/);
  expect(robots()).toBe('index, follow');
  await act(() => router.navigate({ to: '/forum/thread/$id', params: { id: 't2' } }));
  await heading('404 Page Not Found');
  await waitFor(() => expect(robots()).toBe('noindex'));
  expect(canonical()).toBeNull();
});

test('pages for members are not for search engines', async () => {
  renderApp('/dashboard');
  await screen.findByRole('tab', { name: 'Platform Access' });
  await waitFor(() => expect(robots()).toBe('noindex'));
  expect(canonical()).toBeNull();
});

test('the Help Center finds guides by their words and says when there is none', async () => {
  const { user } = renderApp('/help');
  const search = await screen.findByRole('searchbox', { name: 'Search the guides' });
  await user.type(search, 'wordpress');
  expect(screen.getByRole('link', { name: 'WordPress' })).toHaveAttribute('href', '/help/wordpress');
  expect(screen.queryByRole('link', { name: 'Getting started' })).not.toBeInTheDocument();
  await user.type(search, ' qwxz');
  expect(screen.getByText(/No guides match your search/)).toBeInTheDocument();
});

test('an article shows its parts, its text without HTML, and leads on', async () => {
  const { user, router } = renderApp('/blog/server-side-postbacks');
  await heading('Server-side postbacks, and why pixels lose sales');
  expect(
    within(screen.getByRole('navigation', { name: 'On this page' })).getByRole('link', { name: 'What a pixel needs' }),
  ).toHaveAttribute('href', '#what-a-pixel-needs');
  expect(screen.getByText(/^curl 'https:\/\/track\.example\.com\/postback/)).toBeInTheDocument();
  await waitFor(() => expect(document.title).toBe('Server-side postbacks, and why pixels lose sales · Althing'));
  const more = screen.getByRole('navigation', { name: 'More articles' });
  const links = within(more).getAllByRole('link');
  expect(links).toHaveLength(2);
  const target = links[1]?.getAttribute('href');
  await user.click(links[1] as HTMLElement);
  await waitFor(() => expect(router.state.location.pathname).toBe(target));
});

test('an article that does not exist is a page that does not exist', async () => {
  renderApp('/blog/no-such-article');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
});

const OPENAPI = {
  paths: {
    '/api/public/contact': {
      post: {
        summary: 'Send Inquiry',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Contact' } } } },
        responses: {
          201: {
            description: 'Created',
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/FormAnswer' } },
            },
          },
        },
      },
    },
    '/api/platform/links': {
      get: {
        summary: 'List Links',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: { 200: { description: 'OK' } },
      },
    },
  },
  components: {
    schemas: {
      Contact: {
        type: 'object',
        required: ['email'],
        properties: {
          email: { type: 'string', format: 'email' },
          message: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
    },
  },
};

test('the list of calls comes from the running services and can be searched', async () => {
  server.use(http.any('*/api/openapi.json', () => json(OPENAPI)));
  const { user } = renderApp('/docs/api?part=calls');
  await heading('All endpoints');
  await user.click(await screen.findByText('/api/public/contact'));
  expect(await screen.findByText('string (email)')).toBeInTheDocument();
  expect(screen.getByText('string | null')).toBeInTheDocument();
  expect(screen.getByText('FormAnswer')).toBeInTheDocument();
  await user.type(screen.getByRole('searchbox', { name: 'Search endpoints' }), 'list links');
  expect(screen.queryByText('/api/public/contact')).not.toBeInTheDocument();
  expect(screen.getByText('/api/platform/links')).toBeInTheDocument();
});

test('the list of calls says when it cannot be read, and tries again', async () => {
  server.use(http.any('*/api/openapi.json', () => refuse(503, 'A service does not answer right now.')));
  const { user } = renderApp('/docs/api?part=calls');
  expect(
    await screen.findByText('The list of endpoints could not be loaded: A service does not answer right now.'),
  ).toBeInTheDocument();
  server.use(http.any('*/api/openapi.json', () => json(OPENAPI)));
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('/api/platform/links')).toBeInTheDocument();
});
