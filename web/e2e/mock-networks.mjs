// Imports of networks' reports and connections to networks, as the mock API tells it: one in each state.
const MINUTE = 60_000;
const ago = (minutes) => new Date(Date.now() - minutes * MINUTE).toISOString();
const HEADERS = [
  'Transaction ID',
  'Date',
  'Advertiser',
  'Advertiser ID',
  'Click Ref',
  'Order Value',
  'Commission',
  'Status',
];
const MERCHANTS = ['NordVPN', 'Bluehost', 'SEMrush', 'Kinsta'];

const REJECTED = [
  { line: 17, code: 'unknown_partner', message: 'Which partner is “Kaffi og te ehf.”? Choose it in the mapping.' },
  { line: 61, code: 'unknown_partner', message: 'Which partner is “Kaffi og te ehf.”? Choose it in the mapping.' },
  { line: 88, code: 'unknown_status', message: 'The status "on review" is not known. Choose what it means.' },
  { line: 102, code: 'bad_amount', message: '"n/a" is not an amount.' },
];

const QUESTIONS = [
  { field: 'date_order', message: '03/04/26 can be 3 April or March 4.', choices: ['dmy', 'mdy'] },
  { field: 'decimal_mark', message: '1.234 can be 1234 or 1.234.', choices: ['.', ','] },
  { field: 'columns.txid', message: 'Which column has the transaction ID?', choices: HEADERS },
];

const LAYOUT = {
  format: 'text',
  encoding: 'cp1252',
  separator: ';',
  quote: '"',
  header_line: 3,
  sheet: '',
  columns: {
    txid: 'Transaction ID',
    occurred_at: 'Date',
    partner_name: 'Advertiser',
    partner_ref: 'Advertiser ID',
    click_ref: 'Click Ref',
    sale: 'Order Value',
    commission: 'Commission',
    status: 'Status',
  },
  date_order: 'dmy',
  decimal_mark: ',',
  timezone: '',
  currency: 'EUR',
  statuses: {},
};

const NONE = {
  rows: 0,
  new: 0,
  changed: 0,
  unchanged: 0,
  unmatched: 0,
  tests: 0,
  rejected: [],
  rejectedCount: 0,
  delta: [],
};
const COUNTS = {
  rows: 158,
  new: 120,
  changed: 14,
  unchanged: 18,
  unmatched: 3,
  tests: 2,
  rejected: REJECTED,
  rejectedCount: 4,
  delta: [
    { amount: -1240, currency: 'EUR' },
    { amount: 183_415, currency: 'USD' },
  ],
};

const STATES = ['ready', 'applying', 'applied', 'asking', 'failed', 'reading', 'undoing', 'undone', 'cancelled'];
const FILES = {
  ready: 'awin-transactions-2026-11.csv',
  applying: 'cj-commission-detail-november.csv',
  applied: 'rakuten-signature-orders-10.csv',
  asking: 'partnerize-export.xlsx',
  failed: 'awin-invoice.pdf.csv',
  reading: 'impact-actions-2026.json.gz',
  undoing: 'shareasale-ledger.csv',
  undone: 'awin-transactions-2026-09.csv',
  cancelled: 'tradedoubler-eventos.csv',
};
const NETWORK = { applying: 'cj', applied: 'rakuten', asking: 'partnerize', reading: 'impact', undoing: 'shareasale' };

const importIn = (state, index) => ({
  importId: `ni-${state}`,
  state,
  ...(['reading', 'asking', 'failed'].includes(state) ? NONE : COUNTS),
  questions: state === 'asking' ? QUESTIONS : [],
  code: state === 'failed' ? 'not_a_report' : '',
  message: state === 'failed' ? 'This file has no line that could be the header of a report.' : '',
  websiteId: 'w1',
  network: NETWORK[state] ?? 'awin',
  partnerId: null,
  asOf: null,
  fileName: FILES[state],
  fileSize: 48_211 + index * 7919,
  uploadedAt: ago(12 + index * 2117),
  appliedAt: state === 'applied' ? ago(3 + index * 2117) : null,
  done: state === 'applied' ? 158 : 61,
  total: ['reading', 'asking', 'failed'].includes(state) ? 0 : 158,
  mapping: state === 'ready' ? { date_order: 'dmy' } : {},
  layout: ['reading', 'failed'].includes(state) ? null : LAYOUT,
  headers: ['reading', 'failed'].includes(state) ? [] : HEADERS,
  sample: ['reading', 'failed'].includes(state) ? [] : sample(),
  notes: state === 'ready' ? ['Skipped as totals or repeated headers: line 160.'] : [],
});

const sample = () =>
  Array.from({ length: 5 }, (_, index) => [
    `${884_120_311 + index}`,
    `0${index + 3}/11/2026 14:2${index}`,
    MERCHANTS[index % 4],
    `${7700 + (index % 4)}`,
    index === 2 ? '' : `clk_${(index + 11) * 7919}`,
    `${119 + index * 12},90`,
    `${11 + index},99`,
    index % 2 ? 'approved' : 'pending',
  ]);

function rowsOf(kind) {
  if (kind === 'rejected')
    return REJECTED.map(({ line, code, message }) =>
      row(line, { kind, code, message, text: `${884_120_311 + line};03/11/2026;Kaffi og te ehf.;;;n/a;` }),
    );
  const count = kind === 'unmatched' ? 3 : 12;
  return Array.from({ length: count }, (_, index) =>
    row(4 + index * 3, {
      kind: kind === 'unmatched' ? 'new' : kind,
      isUnmatched: kind === 'unmatched' || index % 5 === 4,
      txid: `${884_120_311 + index}`,
      occurredAt: ago(3000 + index * 613),
      partner: MERCHANTS[index % 4],
      orderRef: `R-${20_114 + index}`,
      status: ['pending', 'approved', 'rejected', 'paid'][index % 4],
      rawStatus: ['pending', 'approved', 'declined', 'paid'][index % 4],
      commission: `${(11.99 + index * 2.5).toFixed(2)}`,
      sale: `${(119.9 + index * 25).toFixed(2)}`,
      currency: index % 3 === 2 ? 'USD' : 'EUR',
      product: index % 2 ? '' : 'VPN, two years',
    }),
  );
}

const row = (line, of) => ({
  line,
  kind: 'new',
  isUnmatched: false,
  txid: '',
  occurredAt: null,
  partner: '',
  orderRef: '',
  status: '',
  rawStatus: '',
  commission: null,
  sale: null,
  currency: '',
  product: '',
  clickId: '',
  code: '',
  message: '',
  text: '',
  ...of,
});

const ahead = (minutes) => new Date(Date.now() + minutes * MINUTE).toISOString();
const connectionIn = (id, of) => ({
  id,
  websiteId: 'w1',
  network: 'awin',
  schedule: 'daily',
  currency: null,
  partnerId: null,
  isRefused: false,
  addedAt: ago(90_000),
  isPulling: false,
  pulledAt: ago(310),
  nextAt: ahead(1130),
  problem: '',
  rows: 212,
  importId: 'ni-applied',
  ...of,
});
const connections = () => [
  connectionIn('nc-connected', {}),
  connectionIn('nc-reading', { network: 'cj', schedule: 'hourly', isPulling: true, nextAt: ago(1), importId: null }),
  connectionIn('nc-failing', {
    ...{ network: 'impact', schedule: 'hourly', nextAt: ahead(15) },
    problem: 'impact.com answers with 500.',
  }),
  connectionIn('nc-refused', {
    ...{ pulledAt: null, nextAt: null, isRefused: true, rows: 0, importId: null },
    problem: 'Awin does not accept these credentials. Enter new ones.',
  }),
];

/** Undefined: another part answers. `nothing`: no report was uploaded yet. */
export function networksAnswer(key, query, nothing) {
  const [method, path] = key.split(' ');
  if (path.startsWith('/api/platform/networks/connections')) return connectionsAnswer(method, nothing);
  const found = /^\/api\/platform\/networks\/imports(?:\/ni-([^/]+))?(?:\/([^/]+))?$/.exec(path);
  if (!found) return undefined;
  const [, state, action] = found;
  if (state === undefined)
    return method === 'GET' ? [nothing ? [] : STATES.map(importIn)] : [importIn('ready', 0), 201, WRITTEN];
  if (action === 'rows') return [rowsOf(query.kind ?? 'new')];
  const next = { apply: 'applying', cancel: 'cancelled', undo: 'undoing' }[action] ?? state;
  return [importIn(next, STATES.indexOf(next)), 200, method === 'GET' ? {} : WRITTEN];
}

function connectionsAnswer(method, nothing) {
  if (method === 'GET') return [nothing ? [] : connections()];
  return method === 'DELETE' ? [null, 204, WRITTEN] : [connections()[1], method === 'POST' ? 201 : 200, WRITTEN];
}

const WRITTEN = { 'X-Position': 'domain@17' };
