// Matching, the program directory and the learning hub as the mock answers them.
const AT = '2026-11-20T12:00:00Z';
const PROFILE = {
  business_idea: 'Food, toys and training for dogs in the city',
  industry: 'Pets',
  industry_key: 'pets',
  target_audience: 'Owners of dogs, cats and small animals who buy food, toys and care regularly',
  difficulty_level: 'easy',
  monetization_potential: 'medium',
  content_strategy: [
    'Guides by breed and age',
    'Tests of food with ingredients explained',
    'Training plans with videos',
  ],
  key_success_factors: [
    'Genuine love of animals',
    'Care with health advice',
    'Recurring commissions on regular deliveries',
  ],
  method: 'rules',
  silence: 'not_configured',
  analyzed_at: AT,
};
const PARTS = [
  ['industry', 0.4, 1, 'Matches your niche: Pets'],
  ['text', 0.2, 0.71, 'Shared words: toys, dogs'],
  ['commission', 0.12, 0.42, 'Pays 18.00 USD for each sale or lead'],
  ['cookie', 0.08, 1, '30-day cookie'],
  ['approval', 0.08, 1, 'Approval is easy'],
  ['results', 0.12, 0.62, 'Your links to it earned 40.00 USD per 100 clicks'],
];
const program = (over) => ({
  id: 'p1',
  companyName: 'BarkBox',
  primaryCategory: 'Pets',
  match_score: 0.827,
  recommendation: 'highly_recommended',
  parts: PARTS.map(([name, weight, value, why]) => ({ name, weight, value, points: weight * value, why })),
  commissionType: 'flat',
  commissionRate: null,
  commissionAmount: 18,
  commissionCurrency: 'USD',
  recurring: false,
  cookieDuration: 30,
  description: 'Monthly box of toys and treats for dogs by size and theme.',
  why: null,
  narratedBy: 'rules',
  pros: ['Matches your niche: Pets', 'Its description fits your idea', 'Approval is easy'],
  cons: ['Terms not verified yet'],
  approvalDifficulty: 'easy',
  paymentFrequency: 'monthly',
  source: "Program's public affiliate page, as commonly published",
  recordedOn: '2026-11-21',
  checkedOn: null,
  reviewOn: '2026-11-21',
  toBeChecked: true,
  results: { clicks: 512, conversions: 9, epc: 0.4, currency: 'USD' },
  applicationId: null,
  applicationStatus: null,
  ...over,
});
const PROGRAMS = [
  program({
    narratedBy: 'model',
    why: 'Its boxes of toys and treats go to people with dogs, which is whom you write for.',
    pros: ['Your idea and this program are both about pets', 'Its description fits your idea', 'Approval is easy'],
  }),
  program({
    id: 'p2',
    companyName: 'Chewy',
    match_score: 0.641,
    recommendation: 'recommended',
    commissionRate: 4,
    commissionAmount: null,
    commissionCurrency: null,
    cookieDuration: 15,
    approvalDifficulty: 'medium',
    cons: ['Low commission: Pays 4% of each sale'],
    checkedOn: '2026-11-22',
    reviewOn: '2027-05-21',
    toBeChecked: false,
    results: null,
    applicationId: 'a1',
    applicationStatus: 'in_review',
  }),
  program({
    id: 'p3',
    companyName: 'A Company With Quite a Long Name GmbH & Co. KG',
    match_score: 0.44,
    recommendation: 'consider',
    commissionRate: 7.5,
    recurring: true,
    cookieDuration: 0,
    approvalDifficulty: 'hard',
    pros: [],
    results: null,
  }),
  program({
    id: 'p4',
    companyName: 'ILIA Beauty',
    primaryCategory: 'Beauty & Skin Care',
    match_score: 0.31,
    recommendation: 'review_needed',
    results: null,
  }),
];
const APPLICATIONS = [
  {
    id: 'a1',
    programId: 'p2',
    companyName: 'Chewy',
    category: 'Pets',
    programRetired: false,
    status: 'in_review',
    visits: 2,
    appliedAt: AT,
    updatedAt: AT,
    steps: 2,
    history: [
      { status: 'applied', note: '', at: AT },
      { status: 'in_review', note: 'They requested the traffic of the last three months.', at: '2026-11-21T09:00:00Z' },
    ],
  },
  {
    id: 'a2',
    programId: 'p9',
    companyName: 'Moonshop',
    category: 'Pets',
    programRetired: true,
    status: 'rejected',
    visits: 1,
    appliedAt: AT,
    updatedAt: AT,
    steps: 1,
    history: [{ status: 'applied', note: '', at: AT }],
  },
];
const entry = (over) => ({
  id: 'p1',
  companyName: 'BarkBox',
  category: 'pets',
  categoryName: 'Pets',
  audience: 'Dog owners',
  description: 'Toys by mail.',
  url: 'https://barkbox.example/',
  commissionType: 'flat',
  commissionRate: 0,
  commissionAmount: { amount: 1800, currency: 'USD' },
  recurring: false,
  cookieDays: 30,
  approval: 'easy',
  payment: 'monthly',
  source: 'Its public page',
  partnerId: null,
  origin: 'starter',
  recordedOn: '2026-11-21',
  checkedOn: null,
  reviewOn: '2026-11-21',
  retired: false,
  updatedAt: AT,
  ...over,
});
const ENTRIES = [
  entry({}),
  entry({
    id: 'p2',
    companyName: 'Chewy',
    commissionRate: 4,
    commissionAmount: null,
    checkedOn: '2026-11-22',
    reviewOn: '2027-05-21',
  }),
  entry({
    id: 'p3',
    companyName: 'A Company With Quite a Long Name GmbH & Co. KG',
    commissionType: 'hybrid',
    commissionRate: 7.5,
    recurring: true,
  }),
];
const NICHES = [
  ['City dogs', 'Pets', 'Food, toys and training for dogs that live in the city'],
  ['Indoor cats', 'Pets', 'Toys, food and litter for cats that stay indoors'],
  ['Small balconies', 'Home & Garden', 'Balcony garden ideas, plants and furniture for renters'],
];

/** The arguments of `json`, or undefined. `nothing`: nobody has used it yet. */
export function matchingAnswer(key, nothing) {
  const answers = {
    'GET /api/platform/affiliate/profile': () => [{ profile: nothing ? null : PROFILE }],
    'POST /api/platform/affiliate/analyze-business': () => [{ analysis: PROFILE }],
    'GET /api/platform/affiliate/recommendations': () => [
      {
        recommendations: nothing ? [] : PROGRAMS,
        min_score: 0.4,
        empty_reason: null,
        results_known: true,
        wording: { narratedBy: nothing ? 'rules' : 'model', silence: null, mayBeAsked: false },
      },
    ],
    'GET /api/platform/affiliate/applications': () => [nothing ? [] : APPLICATIONS],
    'POST /api/platform/affiliate/applications': () => [
      { id: 'a1', programId: 'p1', status: 'applied', url: '/api/platform/affiliate/applications/a1/go' },
    ],
    'GET /api/platform/learning/progress': () => [
      {
        lessons: nothing
          ? []
          : [{ course: 'tracking-that-holds', lesson: 'blog-from-click-to-commission', completedAt: AT }],
      },
    ],
    'GET /api/platform/learning/suggestions': () => [
      {
        suggestions: NICHES.map(([niche, industry, idea]) => ({
          niche,
          industry,
          idea,
          difficulty: 'easy',
          monetization: 'medium',
          why: 'Your links in this industry earned 200.00 USD from 500 clicks in 90 days',
        })),
        fromOwnResults: !nothing,
      },
    ],
    'POST /api/platform/learning/lessons': () => [null, 204],
    'GET /api/admin/programs': () => [nothing ? [] : ENTRIES],
    'GET /api/admin/program-categories': () => [
      [
        { key: 'pets', name: 'Pets' },
        { key: 'vpn', name: 'VPN & Privacy' },
      ],
    ],
    'POST /api/admin/programs/import': () => [
      {
        added: 2,
        changed: 1,
        unchanged: 0,
        faults: [{ line: 3, column: 'category', message: "'x' is no category of the directory." }],
        applied: false,
      },
    ],
  };
  return answers[key]?.();
}
