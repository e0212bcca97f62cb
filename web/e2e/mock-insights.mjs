// What the insights calls answer: one of each type, told by model and finder.
const insight = (id, insightType, title, content, evidence, more = {}) => ({
  id,
  insightType,
  metric: 'clicks',
  title,
  content,
  evidence: evidence.map(([label, value]) => ({ label, value })),
  confidenceScore: 0.98,
  narratedBy: 'finder',
  about: null,
  from: '2026-11-13',
  to: '2026-11-19',
  comparedFrom: '2026-10-16',
  comparedTo: '2026-11-12',
  filters: { timeRange: 'custom', from: '2026-11-13', to: '2026-11-19' },
  since: '2026-11-20T03:00:00Z',
  ...more,
});

const INSIGHTS = [
  insight(
    'i1',
    'warning',
    'No conversions from Hostfjord Hosting this week',
    '870 clicks from Nov 13 to Nov 19 led to no conversion; about 26 are usual. The tracking may be broken, or conversions are not reported.',
    [
      ['Clicks', '870'],
      ['Conversions', '0'],
      ['Usual for this many clicks', '26'],
      ['Conversion rate', '0.00%'],
      ['Usual rate', '2.99%'],
    ],
    { about: { dimension: 'partner', value: 'p1', name: 'Hostfjord Hosting' } },
  ),
  insight(
    'i2',
    'growth',
    'YouTube stands out',
    '34% of the clicks from Nov 13 to Nov 19 came from YouTube, up from 7%.',
    [
      ['Clicks', '612'],
      ['Usual in a week', '104'],
      ['Share of all clicks', '34.0%'],
      ['Usual share', '7.0%'],
    ],
    { narratedBy: 'model', about: { dimension: 'source', value: 'youtube', name: 'YouTube' } },
  ),
  insight(
    'i3',
    'decline',
    'Clicks down 32% this week',
    '1,201 clicks from Nov 13 to Nov 19; 1,766 are usual for these weekdays.',
    [
      ['Clicks', '1,201'],
      ['Usual in a week', '1,766'],
      ['Change', '−32%'],
    ],
  ),
  insight(
    'i4',
    'opportunity',
    'Ledgerly has a high EPC',
    '0.54 USD per click, 2.4 times as much as the other partners (0.22 USD). But only 8% of the clicks go there. Try it in more places.',
    [
      ['EPC', '0.54 USD'],
      ['Other partners', '0.22 USD'],
      ['Clicks', '204'],
      ['Share of all clicks', '8.0%'],
      ['Revenue', '110.16 USD'],
    ],
  ),
];

/** [body, status] of an insights call; none for another call. */
export function insightsAnswer(key, empty) {
  if (/^GET \/api\/analytics\/[^/]+\/insights$/.test(key)) return [empty ? [] : INSIGHTS];
  if (/^POST \/api\/analytics\/[^/]+\/ai-insights$/.test(key))
    return [
      { insights: empty ? [] : INSIGHTS, added: empty ? 0 : INSIGHTS.length, tooLittleData: empty, silence: null },
    ];
  if (key === 'GET /api/platform/insights/digest') return [{ every: 'off' }];
  if (key === 'PUT /api/platform/insights/digest') return [null, 204];
  return null;
}
