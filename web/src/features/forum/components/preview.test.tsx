import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { author, categories } from '@/test/forum';
import { renderApp, signIn } from '@/test/render';
import { http, json } from '@/test/http';
import { requests, server } from '@/test/server';
import { handlesIn } from '../lib/mentions';

test('members whom a text names are links in its preview already, others are not', async () => {
  signIn();
  server.use(
    http.get('/api/forum/categories', () => json(categories)),
    http.get('/api/platform/forum/me', () =>
      json({
        handle: 'sigrun',
        isNew: false,
        isModerator: false,
        suspendedUntil: null,
        suspensionReason: null,
      }),
    ),
    http.get('/api/forum/members', ({ request }) =>
      json(
        new URL(request.url).searchParams.get('prefix') === 'embla'
          ? [author(), author({ id: 'a-2', handle: 'embla-2' })]
          : [],
      ),
    ),
  );
  const { user } = renderApp('/forum/new');
  await user.click(await screen.findByLabelText('Text'));
  await user.paste('Ask @embla or @nobody-here, not `@embla-2`.');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  const preview = within(screen.getByRole('group', { name: 'Preview' }));
  expect(await preview.findByRole('link', { name: '@embla' })).toHaveAttribute('href', '/forum/member/embla');
  expect(preview.getAllByRole('link')).toHaveLength(1);
  expect(requests('GET /api/forum/members').length).toBeLessThanOrEqual(4);
});

test('handles are found where people mean them, ten at most', () => {
  expect(handlesIn('@Ada, (@eve) a@b.example https://x.example/@not -@no @ada again @jón')).toEqual([
    'ada',
    'eve',
    'j',
  ]);
  expect(handlesIn(Array.from({ length: 20 }, (_, index) => `@m${index}`).join(' '))).toHaveLength(10);
});
