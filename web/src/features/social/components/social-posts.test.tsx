import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { components } from '@/lib/api/schema';
import { link, socialChannel, socialRow } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const seen = (line: string) => state.seen.findLast((item) => item.line === line)?.body;
const post = (over: Parameters<typeof socialRow>[0] = {}) =>
  socialRow({
    kind: 'post',
    postId: 'p9',
    name: 'Knife test',
    url: 'https://www.instagram.com/p/DAbCdEf/',
    publishedAt: '2026-11-18T10:00:00Z',
    utmContent: 'post-0123456789',
    followers: null,
    views: 900,
    clicks: 40,
    conversions: 2,
    revenueAmount: 2_500,
    clickRate: 4.44,
    conversionRate: 5,
    ...over,
  });
const saved: components['schemas']['SocialPost'] = {
  id: 'p9',
  channelId: 's1',
  websiteId: 'w1',
  address: 'https://www.instagram.com/p/DAbCdEf/',
  title: 'Knife test',
  publishedAt: '2026-11-18T10:00:00Z',
  picture: null,
  utmContent: 'post-0123456789',
};

beforeEach(() => {
  signIn();
  state.socialChannels = [socialChannel()];
  state.socialReport = [socialRow(), post()];
});

test('the posts of a channel show what they bring; one is edited and removed', async () => {
  server.use(
    http.patch('/api/platform/social-posts/{id}', () => json(saved)),
    http.delete('/api/platform/social-posts/{id}', () => noContent()),
  );
  const { user } = renderApp('/links/channels/posts?channel=s1');
  const table = await screen.findByRole('region', { name: 'Results of the posts of @fjord.tests' });
  expect(table).toHaveTextContent(/Knife test.*900.*40.*2.*\$25\.00/);
  expect(within(table).getByRole('link', { name: 'Knife test' })).toHaveAttribute(
    'href',
    'https://www.instagram.com/p/DAbCdEf/',
  );
  await user.click(screen.getByRole('button', { name: 'Edit Knife test' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit post' });
  await user.clear(within(dialog).getByLabelText('Title'));
  await user.type(within(dialog).getByLabelText('Title'), 'Sharp knives');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(seen('PATCH /api/platform/social-posts/p9')).toEqual({ title: 'Sharp knives' }));
  await user.click(await screen.findByRole('button', { name: 'Remove Knife test' }));
  expect(requests('DELETE')).toEqual([]);
  await user.click(await screen.findByRole('button', { name: 'Remove post' }));
  await waitFor(() => expect(requests('DELETE')).toEqual(['DELETE /api/platform/social-posts/p9']));
});

test('a post is added by its address; what the server rejects is explained at its field', async () => {
  state.socialReport = [socialRow()];
  server.use(
    http.post(
      '/api/platform/social-channels/{id}/posts',
      () =>
        refuse(400, 'The request is invalid.', 'bad_post_address', [
          { field: 'address', message: 'This address names no post.' },
        ]),
      { once: true },
    ),
    http.post('/api/platform/social-channels/{id}/posts', () => {
      state.socialReport = [socialRow(), post()];
      return json(saved, { status: 201 });
    }),
  );
  const { user } = renderApp('/links/channels/posts?channel=s1');
  expect(await screen.findByText('No posts yet')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Add post' })).toBeDisabled();
  const address = screen.getByLabelText('Address of the post');
  await user.type(address, 'https://www.instagram.com/fjord.tests/');
  await user.click(screen.getByRole('button', { name: 'Add post' }));
  await waitFor(() => expect(address).toHaveAccessibleDescription('This address names no post.'));
  await user.clear(address);
  await user.type(address, 'https://www.instagram.com/p/DAbCdEf/');
  await user.type(screen.getByLabelText('Title (optional)'), 'Knife test');
  await user.click(screen.getByRole('button', { name: 'Add post' }));
  expect(await screen.findByText('Post added')).toBeInTheDocument();
  expect(seen('POST /api/platform/social-channels/s1/posts')).toMatchObject({
    address: 'https://www.instagram.com/p/DAbCdEf/',
    title: 'Knife test',
  });
  expect(await screen.findByRole('button', { name: 'Edit Knife test' })).toBeInTheDocument();
});

test('a link of a post names the post', async () => {
  server.use(http.post('/api/platform/social-channels/{id}/links', () => json(link(), { status: 201 })));
  const { user } = renderApp('/links/channels/posts?channel=s1');
  await user.click(await screen.findByRole('button', { name: 'Create link for Knife test' }));
  await user.click(await screen.findByRole('button', { name: 'Create link' }));
  expect(await screen.findByRole('dialog', { name: 'Link created' })).toHaveTextContent('Clicks count for Knife test');
  expect(seen('POST /api/platform/social-channels/s1/links')).toEqual({ partnerId: 'p1', postId: 'p9' });
});

test('a picture is uploaded at once and removed; one that is too large is not sent', async () => {
  const sent: (string | null)[] = [];
  server.use(
    http.post('/api/platform/social-posts/{id}/images', ({ request }) => {
      sent.push(request.headers.get('content-type'));
      return json({ ...saved, picture: 'h1' });
    }),
    http.delete('/api/platform/social-posts/{id}/images', () => json(saved)),
  );
  const { user } = renderApp('/links/channels/posts?channel=s1');
  await user.click(await screen.findByRole('button', { name: 'Edit Knife test' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit post' });
  const picture = within(dialog).getByLabelText('Picture');
  const big = new File(['x'], 'big.png', { type: 'image/png' });
  Object.defineProperty(big, 'size', { value: 5 * 1024 * 1024 + 1 });
  await user.upload(picture, big);
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('“big.png” is larger than 5 MB.');
  expect(sent).toEqual([]);
  await user.upload(picture, new File(['x'], 'a.png', { type: 'image/png' }));
  expect(await within(dialog).findByRole('img', { name: 'Knife test' })).toHaveAttribute(
    'src',
    '/api/platform/social-posts/p9/picture?v=h1',
  );
  expect(sent).toEqual(['image/png']);
  await user.click(within(dialog).getByRole('button', { name: 'Remove picture' }));
  expect(await within(dialog).findByRole('button', { name: 'Add picture' })).toBeInTheDocument();
});

test('a file is imported; what is wrong with one stands at the field', async () => {
  server.use(
    http.post(
      '/api/platform/social-channels/{id}/figures',
      () =>
        refuse(400, 'The request is invalid.', 'other_network', [
          { field: 'csv', message: 'This looks like an export of TikTok.' },
        ]),
      { once: true },
    ),
    http.post('/api/platform/social-channels/{id}/figures', () =>
      json({ days: 0, postsAdded: 1, postsChanged: 2, leftOut: 1 }),
    ),
  );
  const { user } = renderApp('/links/channels/posts?channel=s1');
  const field = await screen.findByLabelText('CSV file');
  const choose = (name: string) => user.upload(field, new File(['Date,Views\n'], name, { type: 'text/csv' }));
  await choose('posts.zip');
  await waitFor(() => expect(field).toHaveAccessibleDescription(/Unpack a \.zip first/));
  expect(requests('POST')).toEqual([]);
  await choose('tiktok.csv');
  await waitFor(() => expect(field).toHaveAccessibleDescription(/This looks like an export of TikTok/));
  await choose('posts.csv');
  expect(
    await screen.findByText('posts.csv: 1 post added, numbers of 2 posts updated. 1 line skipped.'),
  ).toBeInTheDocument();
  expect(field).not.toHaveAttribute('aria-invalid');
  expect(seen('POST /api/platform/social-channels/s1/figures')).toEqual({ csv: 'Date,Views\n' });
});

test('no file is offered for a network whose exports are not read', async () => {
  state.socialChannels = [socialChannel({ network: 'pinterest' })];
  renderApp('/links/channels/posts?channel=s1');
  expect(await screen.findByRole('button', { name: 'Add post' })).toBeInTheDocument();
  expect(screen.queryByLabelText('CSV file')).not.toBeInTheDocument();
});
