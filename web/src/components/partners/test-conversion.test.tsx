import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse, type Ok } from '@/test/http';
import { server, state } from '@/test/server';

const PATH = '/api/platform/links/{id}/test';
type Step = Ok<typeof PATH, 'post'>['steps'][number];
const step = (name: string, over: Partial<Step> = {}): Step => ({
  name,
  state: 'done',
  text: `${name} text`,
  fix: '',
  ...over,
});

async function send() {
  signIn();
  const { user } = renderApp(`/links/${state.links[0]?.id ?? ''}`);
  const address = within(await screen.findByRole('region', { name: 'Address' }));
  await user.click(await address.findByRole('button', { name: 'Send a test conversion' }));
  return address;
}

test('a test conversion shows each step that it took', async () => {
  const steps = ['redirect', 'click', 'postback', 'attribution'].map((name) => step(name));
  server.use(http.post(PATH, () => json({ passed: true, steps })));
  const address = await send();
  expect(await address.findByText('Sales through this link are attributed.')).toBeInTheDocument();
  const list = within(address.getByRole('list', { name: 'Steps' }));
  expect(list.getAllByText(/: Done$/)).toHaveLength(4);
  expect(list.getByText('attribution text')).toBeInTheDocument();
});

test('the step that failed says what to do, and the others are not reached', async () => {
  const failed = step('click', { state: 'failed', fix: 'Try again in a minute.' });
  const rest = ['postback', 'attribution'].map((name) => step(name, { state: 'skipped', text: '' }));
  server.use(http.post(PATH, () => json({ passed: false, steps: [step('redirect'), failed, ...rest] })));
  const address = await send();
  expect(await address.findByText('Sales through this link may not be attributed.')).toBeInTheDocument();
  const [, click, postback] = within(address.getByRole('list', { name: 'Steps' })).getAllByRole('listitem');
  expect(click).toHaveTextContent('Click recorded: Failedclick textHow to fix this: Try again in a minute.');
  expect(postback).toHaveTextContent('Postback accepted: Not reached');
});

test('too many tests are refused with the reason', async () => {
  server.use(http.post(PATH, () => refuse(429, 'Too many attempts. Please wait a moment and try again.')));
  await send();
  expect(await screen.findByText('Failed to send the test conversion')).toBeInTheDocument();
});
