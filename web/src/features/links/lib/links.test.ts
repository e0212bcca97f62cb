import { expect, test } from 'vitest';
import { link, partner } from '@/test/fixtures';
import { errorsByLine, readBulk } from './bulk';
import { changesOf, creationOf, draftOf, EMPTY_DRAFT, routingOf } from './draft';

const PARTNERS = [
  partner({ id: 'p1', name: 'Good VPN', slug: 'good-vpn' }),
  partner({ id: 'p2', name: 'Host, Inc.', slug: 'host' }),
];

test('pasted lines, CSV with a heading and tabs are read alike', () => {
  expect(readBulk('good-vpn, https://good.example/deal, summer, mail\n\nGood VPN', PARTNERS)).toEqual({
    lines: [
      { line: 1, body: { partnerId: 'p1', destination: 'https://good.example/deal', slug: 'summer', sub1: 'mail' } },
      { line: 3, body: { partnerId: 'p1' } },
    ],
    errors: [],
  });
  expect(readBulk('partner,destination\r\n"Host, Inc.","https://h.example/?a=1,2"', PARTNERS).lines).toEqual([
    { line: 2, body: { partnerId: 'p2', destination: 'https://h.example/?a=1,2' } },
  ]);
  expect(readBulk('host\t\tslug-1', PARTNERS).lines).toEqual([{ line: 1, body: { partnerId: 'p2', slug: 'slug-1' } }]);
});

test('a line that cannot be is named by its number', () => {
  const { lines, errors } = readBulk('good-vpn\nnobody\nhost', PARTNERS);
  expect(errors).toEqual([{ line: 2, message: 'There is no active partner “nobody”.' }]);
  expect(errorsByLine({ 'links.1.slug': 'The slug is taken.' }, lines)).toEqual([
    { line: 3, message: 'The slug is taken.' },
  ]);
  expect(readBulk('good-vpn\n'.repeat(201), PARTNERS).errors[0]).toEqual({
    line: 201,
    message: 'At most 200 links can be created at once.',
  });
});

test('a link that was opened and saved unchanged stays as it is', () => {
  const expiresAt = '2030-01-02T03:04:00.000Z';
  const before = link({
    coupon: 'SAVE',
    sub1: 'side',
    expiresAt,
    fallback: 'https://vpnreview.is/',
    rules: [{ countries: ['IS', 'NO'], devices: ['mobile'], destination: 'https://nordvpn.com/is' }],
    variants: [
      { destination: 'https://nordvpn.com/a', weight: 1 },
      { destination: 'https://nordvpn.com/b', weight: 3 },
    ],
  });
  expect(changesOf(draftOf(before), before)).toEqual({});
  expect(changesOf({ ...draftOf(before), fallback: '', rules: [] }, before)).toEqual({ fallback: null, rules: [] });
  expect(changesOf({ ...draftOf(before), coupon: '', subs: draftOf(before).subs.map(() => '') }, before)).toMatchObject(
    { coupon: '', sub1: '' },
  );
});

test('a new link sends only what was filled in', () => {
  expect(creationOf(EMPTY_DRAFT)).toEqual({});
  expect(
    routingOf({ ...EMPTY_DRAFT, rules: [{ countries: ['IS', 'NO'], devices: [], destination: ' https://x.example ' }] })
      .rules,
  ).toEqual([{ countries: ['IS', 'NO'], devices: [], destination: 'https://x.example' }]);
});
