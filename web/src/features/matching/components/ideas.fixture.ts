// Business ideas for tests.
import type { Idea, Ideas } from '../api/ideas';

export const idea = (over: Partial<Idea> = {}): Idea => ({
  id: 'pets.city-dogs',
  name: 'City dogs',
  industry: 'Pets',
  idea: 'Food, toys and training for dogs that live in the city',
  language: 'en',
  languageName: 'English',
  score: 0.76,
  parts: [
    { name: 'interest', weight: 0.3, value: 1, points: 0.3, why: 'Your interest: dogs' },
    { name: 'competition', weight: 0.15, value: 0, points: 0, why: 'Estimated as low' },
  ],
  audience: 'People with a dog in the city',
  pitch: null,
  intent: { queries: ['dog in apartment'], informational: 3, commercial: 4, transactional: 3 },
  competition: { level: 'low', reason: 'Pet portals cover breeds' },
  season: { months: [11, 12], reason: 'Gifts in December' },
  effort: { hours: 5, money: 80, reason: 'Food that your own dog needs anyway' },
  estimateSource: 'Editorial estimate, not measured',
  programs: [
    {
      id: 'p1',
      companyName: 'BarkBox',
      matchScore: 0.8,
      website: 'https://www.barkbox.com/',
      partnerId: null,
      toBeChecked: true,
      earnings: { low: 9, high: 30, currency: 'USD', basis: 'terms', assumptions: ['Assumption: 50 of 1,000 click'] },
    },
  ],
  plan: [
    {
      title: 'How much a dog in the city costs',
      intent: 'informational',
      kind: 'guide',
      outline: ['The answer', 'The steps'],
      programs: [],
    },
  ],
  moreTitles: [],
  narratedBy: 'rules',
  ...over,
});

export const ideas = (over: Partial<Ideas> = {}): Ideas => ({
  answers: { interests: ['dogs'], skills: ['photo'], languages: ['en'], hours: 6, money: 200 },
  requestedAt: '2026-11-26T12:00:00Z',
  ideas: [],
  emptyReason: null,
  minScore: 0.45,
  saved: [],
  dismissed: [],
  resultsKnown: true,
  wording: { narratedBy: 'rules', silence: 'not_configured', mayBeAsked: false },
  ...over,
});

/** Of who has not answered yet. */
export const NO_IDEAS = ideas({ answers: null, requestedAt: null });
