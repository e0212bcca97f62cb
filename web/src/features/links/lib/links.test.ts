import { expect, test } from 'vitest';
import { link, partner } from '@/test/fixtures';
import { errorsByLine, readBulk } from './bulk';
import { NO_UTM, partnersAt, slugFrom, withUtm } from './creation';
import { changesOf, creationOf, draftOf, EMPTY_DRAFT, routingOf } from './draft';

const OWN = { partnerId: null, partnerName: 'NordVPN', getsTraffic: true };
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
      { destination: 'https://nordvpn.com/a', weight: 1, number: 1, name: 'Old page', ...OWN },
      { destination: 'https://surfshark.com/b', weight: 3, number: 4, name: '', ...OWN, partnerId: 'p2' },
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

test('a slug is made of whatever is typed', () => {
  expect(['fjord deal!', ' Größe & Söhne ', '--a--b--', 'x'.repeat(70), '漢字', 'Été 2026'].map(slugFrom)).toEqual([
    'fjord-deal',
    'grosse-sohne',
    'a-b',
    'x'.repeat(64),
    '',
    'ete-2026',
  ]);
});

test('the partner is the one on whose registered domain the destination is', () => {
  const uk = partner({ id: 'p3', baseUrl: 'https://www.shop.co.uk/' });
  const other = partner({ id: 'p4', baseUrl: 'https://other.co.uk/' });
  const awin = [5, 6].map((id) => partner({ id: `p${id}`, baseUrl: `https://www.awin1.com/cread.php?awinmid=${id}` }));
  const all = [partner(), uk, other, ...awin];
  const at = (text: string) => partnersAt(text, all).map((item) => item.id);
  expect(at('nordvpn.com/deal')).toEqual(['p1']);
  expect(at('https://go.nordvpn.com/?c={click_id}')).toEqual(['p1']);
  expect(at('https://a.shop.co.uk')).toEqual(['p3']);
  expect(at('https://awin1.com/x')).toEqual(['p5', 'p6']);
  expect(at('https://notnordvpn.com')).toEqual([]);
  expect(['', 'nord', 'https://', 'co.uk'].flatMap(at)).toEqual([]);
});

test('UTM parameters are added to the query, in place of those that are there', () => {
  const utm = { ...NO_UTM, source: ' mail ', campaign: 'a&b' };
  expect(withUtm('https://x.example/?utm_source=old&a=1#b?c', utm)).toBe(
    'https://x.example/?a=1&utm_source=mail&utm_campaign=a%26b#b?c',
  );
  expect(withUtm('https://x.example', utm)).toBe('https://x.example?utm_source=mail&utm_campaign=a%26b');
  expect(withUtm('https://x.example/?a={click_id}', NO_UTM)).toBe('https://x.example/?a={click_id}');
  expect(withUtm('', utm)).toBe('');
});
