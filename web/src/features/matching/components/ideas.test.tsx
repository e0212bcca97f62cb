import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import type { Ideas } from '../api/ideas';
import { earningsOf, monthsOf } from '../lib/idea-labels';
import { idea, ideas, NO_IDEAS } from './ideas.fixture';

let known: Ideas;
const BASE = '/api/platform/affiliate/ideas';
const done = () => noContent();
const sent = (path: string) => state.seen.find((item) => item.line === `POST ${BASE}${path}`)?.body;

beforeEach(() => {
  signIn();
  known = ideas({ ideas: [idea()] });
  server.use(
    http.get('/api/platform/affiliate/profile', () => json({ profile: null })),
    http.get('/api/platform/affiliate/applications', () => json([])),
    http.get(BASE, () => json(known)),
  );
});

async function show() {
  const { user } = renderApp('/affiliate-matching');
  await user.click(await screen.findByRole('tab', { name: 'Ideas & Niches' }));
  return user;
}

test('the first visit has questions; their answers lead to ideas', async () => {
  known = NO_IDEAS;
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  server.use(
    http.post(BASE, async () => {
      await gate;
      known = ideas({ ideas: [idea()] });
      return done();
    }),
  );
  const user = await show();
  await user.click(await screen.findByRole('button', { name: 'Generate ideas' }));
  expect(await screen.findByText('Enter at least one interest.')).toBeInTheDocument();
  expect(requests(`POST ${BASE}`)).toEqual([]);
  await user.type(screen.getByRole('textbox', { name: 'Interests' }), 'dogs, ,coffee');
  await user.click(screen.getByRole('checkbox', { name: 'Photography' }));
  await user.click(screen.getByRole('checkbox', { name: 'German' }));
  await user.click(screen.getByRole('button', { name: 'Generate ideas' }));
  expect(await screen.findByRole('button', { name: 'Generating ideas...' })).toBeDisabled();
  release();
  expect(await screen.findByRole('article', { name: 'City dogs' })).toBeInTheDocument();
  expect(sent('')).toEqual({
    interests: ['dogs', 'coffee'],
    skills: ['photo'],
    languages: ['en', 'de'],
    hours: 5,
    money: 100,
  });
});

test('a refused answer says why and keeps what was entered', async () => {
  known = NO_IDEAS;
  server.use(http.post(BASE, () => refuse(429, 'Try again in 1 minute.')));
  const user = await show();
  await user.type(await screen.findByRole('textbox', { name: 'Interests' }), 'dogs');
  await user.click(screen.getByRole('button', { name: 'Generate ideas' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('No ideas generated');
  expect(screen.getByRole('textbox', { name: 'Interests' })).toHaveValue('dogs');
});

test('an idea shows estimates as such, earnings with their basis, parts and articles', async () => {
  await show();
  const card = within(await screen.findByRole('article', { name: 'City dogs' }));
  for (const name of ['Competition (estimate)', 'Season (estimate)', 'Effort (estimate)'])
    expect(card.getByText(name)).toBeInTheDocument();
  expect(card.getByText('Nov, Dec')).toBeInTheDocument();
  expect(card.getByText('$9–$30')).toBeInTheDocument();
  expect(card.getByText(/estimate from its terms/)).toBeInTheDocument();
  expect(card.getByText('Why 76%')).toBeInTheDocument();
  expect(card.getByText('30.0 of 30')).toBeInTheDocument();
  expect(card.getByText('How much a dog in the city costs')).toBeInTheDocument();
  expect(screen.getByText('Texts are rule-based: AI is not configured.')).toBeInTheDocument();
  expect(card.getByRole('link', { name: 'Build a website: City dogs' })).toHaveAttribute(
    'href',
    '/builder?starter=pets&idea=pets.city-dogs',
  );
});

test('nothing found says why', async () => {
  known = ideas({ emptyReason: 'interests_unclear' });
  await show();
  expect(await screen.findByText('No ideas found')).toBeInTheDocument();
  expect(screen.getByText(/^We couldn’t tell which niches/)).toBeInTheDocument();
});

test('one click prefills matching, another a tracked link', async () => {
  const user = await show();
  await user.click(await screen.findByRole('button', { name: 'Create link to BarkBox' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Create link' }));
  expect(await dialog.findByDisplayValue('https://www.barkbox.com/')).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('button', { name: 'Match this idea: City dogs' }));
  expect(await screen.findByRole('textbox', { name: 'Business idea' })).toHaveValue(idea().idea);
});

test('an idea is saved; a dismissal needs words for another reason', async () => {
  server.use(
    http.post(`${BASE}/save`, () => {
      known = ideas({ saved: [idea()], ideas: [idea({ id: 'pets.indoor-cats', name: 'Indoor cats' })] });
      return done();
    }),
    http.post(`${BASE}/dismiss`, done),
  );
  const user = await show();
  await user.click(await screen.findByRole('button', { name: 'Save City dogs' }));
  expect(await screen.findByRole('tab', { name: 'Saved (1)' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Dismiss Indoor cats' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Dismiss Indoor cats' }));
  await user.selectOptions(dialog.getByRole('combobox', { name: 'Reason' }), 'Other');
  await user.click(dialog.getByRole('button', { name: 'Dismiss idea' }));
  expect(dialog.getByText('Enter the reason.')).toBeInTheDocument();
  await user.type(dialog.getByRole('textbox', { name: 'Your reason' }), 'Allergic');
  await user.click(dialog.getByRole('button', { name: 'Dismiss idea' }));
  expect(await screen.findByRole('article', { name: 'Indoor cats' })).toBeInTheDocument();
  expect(sent('/dismiss')).toEqual({ idea: 'pets.indoor-cats', reason: 'other', note: 'Allergic' });
});

test('saved ideas are compared side by side', async () => {
  known = ideas({ saved: [idea(), idea({ id: 'pets.indoor-cats', name: 'Indoor cats', score: 0.69 })] });
  const user = await show();
  await user.click(await screen.findByRole('tab', { name: 'Saved (2)' }));
  expect(screen.getByRole('button', { name: 'Compare (0)' })).toBeDisabled();
  await user.click(screen.getByRole('checkbox', { name: 'Compare City dogs' }));
  await user.click(screen.getByRole('checkbox', { name: 'Compare Indoor cats' }));
  await user.click(screen.getByRole('button', { name: 'Compare (2)' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Compare ideas' }));
  expect(dialog.getByRole('row', { name: 'Score 76% 69%' })).toBeInTheDocument();
});

test('a dismissed idea says whether its reason counts, and is restored', async () => {
  known = ideas({
    dismissed: [
      {
        id: 'pets.indoor-cats',
        name: 'Indoor cats',
        industry: 'Pets',
        reason: 'no_time',
        note: '',
        heeded: false,
        at: '2026-11-26T12:00:00Z',
      },
    ],
  });
  server.use(
    http.post(`${BASE}/release`, () => {
      known = ideas({ ideas: [idea()] });
      return done();
    }),
  );
  const user = await show();
  await user.click(await screen.findByRole('tab', { name: 'Dismissed (1)' }));
  expect(screen.getByText('No time. Your next ideas will take it into account.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Restore Indoor cats' }));
  expect(await screen.findByText('No dismissed ideas')).toBeInTheDocument();
  expect(sent('/release')).toEqual({ idea: 'pets.indoor-cats' });
});

test('labels: months and ranges', () => {
  expect(monthsOf([])).toBe('All year');
  expect(earningsOf({ earnings: null })).toBe('No exchange rate');
  const own = { low: 20.5, high: 20.5, currency: 'USD', basis: 'results' as const, assumptions: [] };
  expect(earningsOf({ earnings: own })).toBe('$20.50');
});
