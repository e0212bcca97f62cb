// Business ideas as the mock answers them.
const AT = '2026-11-26T12:00:00Z';
const WEIGHTS = { interest: 0.3, skills: 0.1, time: 0.1, money: 0.1, competition: 0.15, earnings: 0.15, results: 0.1 };
const WHY = {
  interest: 'Your interest: dogs',
  skills: 'Uses your skills: photo, testing',
  time: 'Needs about 5 hours a week, you have 6',
  money: 'Needs about 80 USD to start, you have 200',
  competition: 'Estimated as low',
  earnings: 'Best expected earnings: BarkBox, by your results',
  results: 'Your links in Pets earned 204.80 USD from 512 clicks',
};
const program = (id, companyName, earnings) => ({
  id,
  companyName,
  matchScore: 0.82,
  website: 'https://www.example.com/',
  partnerId: null,
  toBeChecked: true,
  earnings,
});
const CLICKED = 'Assumption: 50 of 1,000 visitors click the link';
const PROGRAMS = [
  program('p1', 'BarkBox', {
    low: 20,
    high: 20,
    currency: 'USD',
    basis: 'results',
    assumptions: ['Your links to it earned 40.00 USD per 100 clicks (512 clicks in 90 days)', CLICKED],
  }),
  program('p2', 'Chewy', {
    low: 1,
    high: 4,
    currency: 'USD',
    basis: 'terms',
    assumptions: ['Pays 4% of each sale (its terms)', CLICKED, 'Assumption: 1 to 3 of 100 clicks become a sale'],
  }),
  program('p3', 'A Company With Quite a Long Name GmbH & Co. KG', null),
];
const PLAN = [
  ['A dog in an apartment: what neighbors and landlords ask', 'informational', 'guide'],
  ['Dog food subscriptions compared by price per day', 'commercial', 'comparison'],
  ['How to train a dog for buses and elevators', 'informational', 'guide'],
  ['BarkBox or Chewy? How to choose', 'commercial', 'comparison'],
  ['Quiet toys for apartments, tested', 'commercial', 'comparison'],
  ['BarkBox reviewed for people with a dog in the city', 'transactional', 'review'],
  ['How much a dog in the city costs per month', 'informational', 'guide'],
  ['Harnesses for crowded streets compared', 'commercial', 'comparison'],
  ['What BarkBox costs in total, and how to cancel or return', 'transactional', 'price'],
  ['Chewy reviewed for people with a dog in the city', 'transactional', 'review'],
];
const idea = (over = {}, values = {}) => {
  const parts = Object.entries(WEIGHTS).map(([name, weight]) => {
    const value = values[name] ?? 0.9;
    return { name, weight, value, points: Math.round(weight * value * 10_000) / 10_000, why: WHY[name] };
  });
  return {
    id: 'pets.city-dogs',
    name: 'City dogs',
    industry: 'Pets',
    idea: 'Food, toys and training for dogs that live in the city',
    language: 'en',
    languageName: 'English',
    score: parts.reduce((sum, part) => sum + part.points, 0),
    parts,
    audience: 'People with a dog in the city',
    pitch: null,
    intent: {
      queries: ['dog in apartment', 'quiet dog toys', 'dog food delivery'],
      informational: 3,
      commercial: 4,
      transactional: 3,
    },
    competition: {
      level: 'low',
      reason: 'Pet portals cover breeds; daily life in the city is less covered',
    },
    season: { months: [12], reason: 'Gifts in December; food is bought all year round' },
    effort: { hours: 5, money: 80, reason: 'Food and toys that your own dog needs anyway' },
    estimateSource: 'Editorial estimate of the niche catalogue (November 2026), not measured',
    programs: PROGRAMS,
    plan: PLAN.map(([title, intent, kind]) => ({
      title,
      intent,
      kind,
      outline: ['Disclosure above the first link', 'Table: price, terms, limits', 'The choice by need'],
      programs: [],
    })),
    moreTitles: [],
    narratedBy: 'rules',
    ...over,
  };
};
const IDEAS = [
  idea(),
  idea(
    {
      id: 'food.coffee-at-home',
      name: 'Coffee at home',
      industry: 'Food & Drink',
      pitch: 'A website on beans, grinders and barista skills for people who brew at home.',
      competition: {
        level: 'medium',
        reason: 'Enthusiast sites go deep; beginners with small budgets are less covered',
      },
      season: { months: [11, 12], reason: 'Grinders and machines are gifts and November offers' },
      moreTitles: ['How to store coffee beans at home'],
      narratedBy: 'model',
    },
    { competition: 0.6, results: 0.5 },
  ),
  idea(
    {
      id: 'outdoors.first-nights-outside',
      name: 'First nights outside',
      industry: 'Outdoors',
      language: 'de',
      languageName: 'German',
      season: { months: [], reason: 'Gear is bought before the summer' },
    },
    { skills: 0.3, money: 0.4, results: 0.5 },
  ),
];
const SAVED = [
  idea({ id: 'pets.indoor-cats', name: 'Indoor cats' }, { interest: 0.7 }),
  idea({ id: 'home.small-balconies', name: 'Small balconies', industry: 'Home & Garden' }, { results: 0.5 }),
];
const DISMISSED = [
  ['fitness.small-home-gyms', 'Small home gyms', 'Fitness & Sport', 'no_money', '', true],
  ['pets.x', 'Dog shows', 'Pets', 'other', 'My dog is shy', false],
].map(([id, name, industry, reason, note, heeded]) => ({ id, name, industry, reason, note, heeded, at: AT }));

/** The arguments of `json`, or undefined. `first`: nothing was answered yet; `empty`: no idea was found. */
export function ideasAnswer(key, { first, empty }) {
  const path = '/api/platform/affiliate/ideas';
  if (key === `GET ${path}`)
    return [
      {
        answers: first
          ? null
          : {
              interests: ['dogs', 'coffee'],
              skills: ['photo', 'testing'],
              languages: ['en', 'de'],
              hours: 6,
              money: 200,
            },
        requestedAt: first ? null : AT,
        ideas: first || empty ? [] : IDEAS,
        emptyReason: empty ? 'interests_unclear' : null,
        minScore: 0.45,
        saved: first || empty ? [] : SAVED,
        dismissed: first || empty ? [] : DISMISSED,
        resultsKnown: true,
        wording: { narratedBy: 'rules', silence: 'not_configured', mayBeAsked: false },
      },
    ];
  if (key.startsWith(`POST ${path}`)) return [null, 204];
  return undefined;
}
