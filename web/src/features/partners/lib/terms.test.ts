import { expect, test } from 'vitest';
import { adminPartner } from '@/test/fixtures';
import { networkOfHost, NETWORKS, postbackHint, postbackUrl } from '@/lib/networks/postback';
import { parsePercent } from '@/lib/format/percent';
import { draftOf, termsOf } from './terms';

const base = adminPartner().terms;

test('what a form was filled with comes back as it was', () => {
  for (const terms of [
    base,
    { ...base, kind: 'per_lead' as const, percent: null, amount: 0, currency: 'USD' },
    { ...base, kind: 'flat' as const, percent: null, amount: 1250, currency: 'EUR', holdDays: 30, autoApproveDays: 14 },
    {
      ...base,
      tiers: [
        { atLeast: 10, percent: 15, amount: null },
        { atLeast: 50, percent: 20.5, amount: null },
      ],
    },
    {
      ...base,
      tiersBy: 'revenue' as const,
      tiersCurrency: 'USD',
      tiers: [{ atLeast: 100_000, percent: 15, amount: null }],
    },
  ]) {
    const { text, ...rest } = terms;
    expect(text).toBeTruthy();
    expect(termsOf(draftOf(terms))).toEqual({ terms: rest });
  }
});

test('what is not filled in right is named', () => {
  const draft = draftOf(base);
  expect(termsOf({ ...draft, rate: '12.345' })).toEqual({
    error: 'Please enter a percentage from 0 to 100 in steps of 0.01',
  });
  expect(termsOf({ ...draft, kind: 'flat', rate: 'x' })).toEqual({ error: 'Please enter an amount in USD' });
  expect(termsOf({ ...draft, tiers: [{ atLeast: '', rate: '5' }] })).toEqual({ error: 'Please complete tier 1' });
  expect(termsOf({ ...draft, holdDays: '400' })).toEqual({ error: 'Days are whole numbers from 0 to 365' });
});

test('spec §5, §9: a percentage has steps of 0.01 and ends at 100', () => {
  expect(['0', '12.5', '12,25', '100', '100.01', '1.234', '-1', ''].map(parsePercent)).toEqual([
    0,
    12.5,
    12.25,
    100,
    null,
    null,
    null,
    null,
  ]);
});

test('a postback names the partner, what the network fills in, and the place of the token', () => {
  expect(postbackUrl('http://t.example', 'good-vpn', 'voluum')).toBe(
    'http://t.example/postback?partner=good-vpn&cid={externalid}&payout={payout}&txid={transaction.id}&currency={currency}&et={conversion.type}&token=YOUR_POSTBACK_TOKEN',
  );
  expect(postbackUrl('http://t.example', 'x', null)).toContain('click_id={click_id}');
  expect(postbackUrl('http://t.example', 'x', 'awin')).toContain(
    'clickRef=!!!clickRef!!!&transactionId=!!!transactionId!!!&',
  );
  expect(postbackUrl('http://t.example', 'x', 'cj')).toContain('click_id={click_id}');
});

test('a network is known by the hosts of its links, and says what its postback needs', () => {
  expect(NETWORKS.length).toBeGreaterThan(40);
  expect(NETWORKS[0]?.id).toBe('default');
  expect(networkOfHost('www.awin1.com')?.clickId).toBe('clickref');
  expect(networkOfHost('merchant.pxf.io')?.id).toBe('impact');
  expect(networkOfHost('notawin1.com')).toBeUndefined();
  expect(postbackHint('awin')).toMatch(/^The network replaces the placeholders\. The transactionDate/);
  expect(postbackHint('cake')).toContain('s1 is for names of sub-affiliates only.');
  expect(postbackHint('keitaro')).toContain('Check these names with your network');
  expect(postbackHint('amazon')).toBe('Amazon Associates reports sales in its own files and sends no postbacks.');
});
