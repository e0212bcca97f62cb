import { expect, test } from 'vitest';
import { momentOf } from './report-day';
import { usualNetwork } from './usual-network';

test('a report is of the end of its day in the website’s zone, and never of the future', () => {
  const now = new Date('2026-11-20T15:00:00Z');
  expect(momentOf('2026-11-18', 'Europe/Berlin', now)).toBe('2026-11-18T22:59:59.999Z');
  expect(momentOf('2026-11-20', 'Europe/Berlin', now)).toBe('2026-11-20T14:55:00.000Z');
});

test('the network of the last report is proposed, else the only one of the partners', () => {
  const partners = [{ postbackPreset: 'awin' }, { postbackPreset: null }, { postbackPreset: 'default' }];
  expect(usualNetwork([{ network: 'cj' }, { network: 'awin' }], partners)).toBe('cj');
  expect(usualNetwork([], partners)).toBe('awin');
  expect(usualNetwork([], [...partners, { postbackPreset: 'cj' }])).toBe('');
  expect(usualNetwork([], [])).toBe('');
});
