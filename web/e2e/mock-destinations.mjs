// Ad platforms that get conversions, as the mock API tells it, and the log of one: a delivery in each state.
const MINUTE = 60_000;
const at = (minutes) => new Date(Date.now() + minutes * MINUTE).toISOString();
const usd = (amount) => ({ amount, currency: 'USD' });

const destination = (id, of) => ({
  id,
  websiteId: 'w1',
  platform: 'google_ads',
  mapping: { sale: 'Affiliate sale', lead: 'Affiliate lead', value: 'commission' },
  isAutomatic: false,
  isRefused: false,
  addedAt: at(-60_000),
  problem: '',
  ...of,
});

const destinations = () => [
  destination('ad-google', {}),
  destination('ad-microsoft', { platform: 'microsoft', isAutomatic: true }),
  destination('ad-meta', {
    ...{ platform: 'meta', isAutomatic: true, isRefused: true },
    mapping: { sale: 'Purchase', lead: '', value: 'sale' },
    problem: 'Meta does not accept these credentials. Enter new ones.',
  }),
];

const delivery = (index, of) => ({
  id: `dl${index}`,
  conversionId: `c${index}`,
  kind: 'conversion',
  state: 'in_file',
  name: 'Affiliate sale',
  value: usd(1250 + index * 305),
  occurredAt: at(-3000 - index * 700),
  decidedAt: at(-30 - index * 700),
  preparedAt: at(-29 - index * 700),
  attempts: 0,
  attemptedAt: null,
  nextAttemptAt: null,
  status: null,
  reason: '',
  answer: '',
  ...of,
});
const NOTHING = { kind: null, name: null, value: null, occurredAt: null, preparedAt: null };

const deliveries = () => [
  delivery(0, { ...NOTHING, state: 'new', nextAttemptAt: at(0) }),
  delivery(1, {}),
  delivery(2, { kind: 'retraction', value: usd(0) }),
  delivery(3, { kind: 'restatement' }),
  delivery(4, {
    ...{ state: 'ready', attempts: 2, attemptedAt: at(-5), nextAttemptAt: at(25), status: 500 },
    answer: 'Google Ads answers with 500.',
  }),
  delivery(5, { state: 'sent', attempts: 1, attemptedAt: at(-3510), status: 200 }),
  delivery(6, {
    ...{ ...NOTHING, state: 'skipped', reason: 'no_click_id' },
    answer: 'The visit has no click ID of Google Ads: it began with no ad, or the visitor did not agree.',
  }),
  delivery(7, {
    ...{ state: 'failed', attempts: 8, attemptedAt: at(-90), status: 200 },
    answer: 'The click was not found in this account.',
  }),
];

/** Undefined: another part answers. `nothing`: no ad platform was added yet. */
export function destinationsAnswer(key, query, nothing) {
  const [method, path] = key.split(' ');
  const found = /^\/api\/platform\/destinations(?:\/[^/]+(\/deliveries)?)?$/.exec(path);
  if (!found) return undefined;
  if (found[1]) return [deliveries().filter(({ state }) => !query.state || state === query.state)];
  if (method === 'GET') return [nothing ? [] : destinations()];
  return method === 'DELETE' ? [null, 204, WRITTEN] : [destinations()[0], method === 'POST' ? 201 : 200, WRITTEN];
}

const WRITTEN = { 'X-Position': 'domain@18' };
