import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { idea, ideas } from '@/features/matching/components/ideas.fixture';
import { link, site, socialChannel } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse, type Ok } from '@/test/http';
import { requests, server, state } from '@/test/server';

const STARTERS: Ok<'/api/platform/sites/starters'> = [
  { niche: 'vpn', label: 'VPN reviews', description: 'For VPNs.', pages: ['Home'] },
  { niche: 'ecommerce', label: 'Product tests', description: 'For products.', pages: ['Home', 'Best'] },
];
const HOME = { id: 'p0', path: '', title: 'Home', short_title: '', description: '', is_indexed: true };
const SITE = site({
  name: 'City dogs',
  document: { name: 'City dogs', theme: {}, navigation: ['p0'], pages: [HOME] },
});
const sent = (line: string) => state.seen.find((item) => item.line === line)?.body;

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/platform/affiliate/ideas', () => json(ideas({ saved: [idea()] }))),
    http.get('/api/platform/sites/starters', () => json(STARTERS)),
    http.post('/api/platform/sites', () => json(site(), { status: 201 })),
    http.get('/api/platform/sites/{id}', () => json(SITE)),
    http.put('/api/platform/sites/{id}/document', () => json(site({ documentVersion: 2 }))),
    http.put('/api/platform/sites/{id}/pages/{pageId}', () =>
      json({ id: 'p1', siteId: 's1', version: 1, savedAt: null }),
    ),
  );
});

async function begin(address: string) {
  const { user, router } = renderApp(address);
  const dialog = within(await screen.findByRole('dialog', { name: 'Create site' }));
  await dialog.findByRole('radio', { name: /^Product tests/ });
  return { user, router, dialog };
}

test('an idea begins a site with its template, and its first article as a page with its outline', async () => {
  const { user, router, dialog } = await begin('/builder?starter=pets&idea=pets.city-dogs');
  expect(dialog.getByLabelText('Name')).toHaveValue('City dogs');
  expect(dialog.getByRole('radio', { name: /^Product tests/ })).toBeChecked();
  await user.click(dialog.getByRole('button', { name: 'Create site' }));
  await expect.poll(() => router.state.location.pathname).toMatch(/^\/builder\/s1\/[0-9a-f-]{36}$/);
  expect(sent('POST /api/platform/sites')).toMatchObject({ name: 'City dogs', slug: 'city-dogs', niche: 'ecommerce' });
  const page = router.state.location.pathname.split('/').at(-1);
  expect(sent('PUT /api/platform/sites/s1/document')).toMatchObject({
    basedOn: 1,
    document: {
      navigation: ['p0', page],
      pages: [{}, { id: page, title: 'How much a dog in the city costs', path: 'how-much-a-dog-in-the-city-costs' }],
    },
  });
  expect(sent(`PUT /api/platform/sites/s1/pages/${page}`)).toMatchObject({
    basedOn: 0,
    document: {
      blocks: [
        { type: 'disclosure' },
        {
          type: 'article',
          markdown: '[Your introduction]\n\n## The answer\n\n[Your text]\n\n## The steps\n\n[Your text]',
        },
      ],
    },
  });
});

test('without the draft the site itself opens', async () => {
  const first = await begin('/builder?starter=pets&idea=pets.city-dogs');
  await first.user.click(first.dialog.getByRole('checkbox', { name: /^Draft “How much a dog/ }));
  await first.user.click(first.dialog.getByRole('button', { name: 'Create site' }));
  await expect.poll(() => first.router.state.location.pathname).toBe('/builder/s1');
  expect(requests('PUT /api/platform/sites/s1/document')).toEqual([]);
});

test('a draft that fails leaves the site, and says so', async () => {
  server.use(http.put('/api/platform/sites/{id}/document', () => refuse(503, 'Try again.')));
  const { user, router, dialog } = await begin('/builder?starter=pets&idea=pets.city-dogs');
  await user.click(dialog.getByRole('button', { name: 'Create site' }));
  await expect.poll(() => router.state.location.pathname).toBe('/builder/s1');
  expect(await screen.findByText('Failed to draft the article')).toBeInTheDocument();
});

test('an idea that is not there any more, and one of an unknown industry, begin an empty form', async () => {
  const { user, router, dialog } = await begin('/builder?starter=nothing&idea=gone.idea');
  expect(dialog.getByLabelText('Name')).toHaveValue('');
  expect(dialog.getByRole('radio', { name: /^Empty site/ })).toBeChecked();
  expect(dialog.queryByRole('checkbox')).not.toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await expect.poll(() => router.state.location.href).toBe('/builder');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

test('a social channel begins a page of its active links', async () => {
  state.socialChannels = [socialChannel({ id: 'c1', name: '@vpn.review' })];
  server.use(
    http.get('/api/platform/links', ({ request }) => {
      expect(new URL(request.url).searchParams.get('channelId')).toBe('c1');
      return json([link({ id: 'l1' }), link({ id: 'l2', isActive: false }), link({ id: 'l3' })]);
    }),
  );
  const { user, router } = renderApp('/builder?website=w1&channel=c1');
  const dialog = within(await screen.findByRole('dialog', { name: 'Create site' }));
  expect(dialog.getByLabelText('Name')).toHaveValue('@vpn.review');
  expect(dialog.getByText(/^A link-in-bio page: the 2 tracked links of the channel/)).toBeInTheDocument();
  expect(dialog.queryByRole('radio')).not.toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Create site' }));
  await expect.poll(() => router.state.location.pathname).toBe('/builder/s1');
  expect(sent('POST /api/platform/sites')).toMatchObject({ websiteId: 'w1', niche: null, links: ['l1', 'l3'] });
});

test('a site with placeholders asks before it is published, lists them, and leads to each', async () => {
  const place = { pageId: 'p0', placement: 'welcome', field: 'title', text: '[Your heading]' };
  const hero = {
    id: 'h',
    type: 'hero',
    name: 'welcome',
    title: 'A [Your heading]',
    text: '',
    image: null,
    action: null,
  };
  server.use(
    http.post('/api/platform/sites/{id}/publish', async ({ request }) => {
      const { allowsPlaceholders } = (await request.json()) as { allowsPlaceholders?: boolean };
      return allowsPlaceholders ? json(site({ published: 1 })) : refuse(409, 'Not filled in.', 'placeholders_left');
    }),
    http.get('/api/platform/sites/{id}/placeholders', () => json({ count: 1, places: [place] })),
    http.get('/api/platform/sites/{id}/pages/{pageId}', () =>
      json({ id: 'p0', siteId: 's1', version: 1, savedAt: null, document: { blocks: [hero] } }),
    ),
    http.post('/api/platform/sites/{id}/preview', () =>
      json({ html: '<p>A</p>', problems: [], placesToFill: [place] }),
    ),
  );
  const { user, router } = renderApp('/builder/s1');
  await user.click(await screen.findByRole('button', { name: 'Publish' }));
  const dialog = await screen.findByRole('dialog', { name: '1 placeholder to fill in' });
  await user.click(within(dialog).getByRole('button', { name: 'Publish with placeholders' }));
  expect(await screen.findByText('Site published')).toBeInTheDocument();
  expect(sent('POST /api/platform/sites/s1/publish')).toEqual({ allowsPlaceholders: true });

  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await user.click(await screen.findByRole('link', { name: /Your heading/ }));
  expect(router.state.location.pathname).toBe('/builder/s1/p0');
  const field = await screen.findByLabelText('Heading');
  await expect.poll(() => document.activeElement).toBe(field);
  expect((field as HTMLInputElement).selectionStart).toBe(2);
});
