import { expect, test } from 'vitest';
import { delivery } from '@/test/destinations';
import { nameFault, PLATFORMS, type PlatformRules } from './platforms';
import { deliveryDetails, isOnItsWay } from './states';

const ZONE = 'Atlantic/Reykjavik';
const NEXT = '2026-11-20T12:00:00Z';

test.each([
  [
    'when it was sent',
    delivery({ state: 'sent', attempts: 1, attemptedAt: NEXT }),
    false,
    [/^Nov 20, (2026, )?12:00$/],
  ],
  ['the day of its file', delivery(), false, [/^File of Nov 20, 2026$/]],
  ['why it cannot be sent', delivery({ state: 'skipped', answer: 'It has no value.' }), false, [/^It has no value\.$/]],
  [
    'what the platform said',
    delivery({ state: 'failed', attempts: 8, answer: 'No click.' }),
    false,
    [/^After 8 attempts$/, /^No click\.$/],
  ],
  ['nothing of the first attempt', delivery({ state: 'ready', nextAttemptAt: NEXT }), false, []],
  [
    'when it is sent again',
    delivery({ state: 'ready', attempts: 2, nextAttemptAt: NEXT, answer: 'Meta answers with 500.' }),
    false,
    [/^Attempt 3: Nov 20, (2026, )?12:00$/, /^Meta answers with 500\.$/],
  ],
  [
    'that credentials are needed',
    delivery({ state: 'ready', attempts: 2, nextAttemptAt: NEXT }),
    true,
    [/^Awaiting new credentials$/],
  ],
])('a delivery says %s', (_what, of, isRefused, lines) => {
  expect(deliveryDetails(of, isRefused, ZONE)).toEqual(lines.map((line) => expect.stringMatching(line) as unknown));
});

test('a delivery is on its way until it was tried once, and not while credentials are rejected', () => {
  const first = ['new', 'ready', 'in_file', 'sent', 'skipped', 'failed'] as const;
  expect(first.filter((state) => isOnItsWay({ state, attempts: 0 }, false))).toEqual(['new', 'ready']);
  expect(isOnItsWay({ state: 'ready', attempts: 1 }, false)).toBe(false);
  expect(isOnItsWay({ state: 'ready', attempts: 0 }, true)).toBe(false);
});

test('the day of a file is that of the website', () => {
  const of = delivery({ preparedAt: '2026-11-20T23:30:00Z' });
  expect(deliveryDetails(of, false, 'Europe/Berlin')).toEqual(['File of Nov 21, 2026']);
});

test('the API of Google Ads needs the number of a conversion action, its files and other platforms any name', () => {
  const [google, microsoft] = PLATFORMS as readonly [PlatformRules, PlatformRules];
  expect(nameFault(google, true, 'Affiliate sale')).toBe('Please enter the number of the conversion action');
  expect(nameFault(google, true, '12345x')).toBe('Please enter the number of the conversion action');
  expect([nameFault(google, true, '12345'), nameFault(google, true, '')]).toEqual([undefined, undefined]);
  expect(nameFault(google, false, 'Affiliate sale')).toBeUndefined();
  expect(nameFault(microsoft, true, 'Affiliate sale')).toBeUndefined();
});
