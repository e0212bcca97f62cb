// The three services (specification §2, §9).
export interface Service {
  readonly name: 'Strategy Optimization' | 'Growth Acceleration' | 'Enterprise Solution';
  readonly price: string;
  readonly terms: string;
  readonly text: string;
  readonly includes: readonly string[];
  readonly button: 'Get Started' | 'Contact Sales';
  readonly popular: boolean;
}

export const SERVICES: readonly Service[] = [
  {
    name: 'Strategy Optimization',
    price: '$2,500',
    terms: 'one-time',
    button: 'Get Started',
    popular: false,
    text: 'For a site that already earns and wants more from its existing visitors.',
    includes: [
      'Review of your programs, links and placements',
      'Check that every sale is tracked and counted once',
      'Earnings per click compared program by program',
      'A written plan, ordered by expected impact',
    ],
  },
  {
    name: 'Growth Acceleration',
    price: '$7,500',
    terms: '3-month program',
    button: 'Get Started',
    popular: true,
    text: 'For publishers who want support while they carry out the plan.',
    includes: [
      'Everything in Strategy Optimization',
      '3 months of ongoing optimization',
      'Server-side postbacks set up with your partners',
      'Split tests of links and landing pages',
      'A call every week and a report every month',
    ],
  },
  {
    name: 'Enterprise Solution',
    price: 'Custom',
    terms: 'contact for pricing',
    button: 'Contact Sales',
    popular: false,
    text: 'For networks, teams and portfolios of many websites.',
    includes: [
      'Your own installation, on your own clusters',
      'Import of history from your current tracker',
      'Reviewed setup for backups and replays',
      'Training for your analysts and engineers',
    ],
  },
];
