// What the parts, estimates and choices of business ideas are called.
import type { Tone } from '@/components/ui/badge';
import { formatMoney } from '@/lib/format';
import type { DismissReason, Idea, IdeaProgram, Ideas, Skill } from '../api/ideas';

export const SKILLS: Readonly<Record<Skill, string>> = {
  writing: 'Writing',
  testing: 'Testing products',
  photo: 'Photography',
  video: 'Video',
  programming: 'Programming',
  numbers: 'Numbers and spreadsheets',
  teaching: 'Teaching',
  design: 'Design',
  social: 'Social media',
  search: 'Search engines',
};

export const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
  pt: 'Portuguese',
  nl: 'Dutch',
  sv: 'Swedish',
  da: 'Danish',
  nb: 'Norwegian',
  is: 'Icelandic',
  fi: 'Finnish',
  pl: 'Polish',
  cs: 'Czech',
  ja: 'Japanese',
};
export const MAX_LANGUAGES = 5;
export const MAX_INTERESTS = 10;

/** Each with what it changes in the next round. */
export const REASONS: Readonly<Record<DismissReason, { readonly label: string; readonly effect: string }>> = {
  not_interested: { label: 'Not interested', effect: 'Ideas of the same industry score lower on interest.' },
  too_competitive: { label: 'Too competitive', effect: 'Ideas with as much competition get no points for it.' },
  no_time: { label: 'No time', effect: 'Ideas that need as many hours get no points for time.' },
  no_money: { label: 'No money', effect: 'Ideas that cost as much to start get no points for money.' },
  other: { label: 'Other', effect: 'Only this idea is hidden.' },
};

const PARTS: Readonly<Record<Idea['parts'][number]['name'], string>> = {
  interest: 'Interests',
  skills: 'Skills',
  time: 'Time',
  money: 'Money',
  competition: 'Competition',
  earnings: 'Earnings',
  results: 'Your results',
};
export const partOf = (name: Idea['parts'][number]['name']): string => PARTS[name];

export const LEVELS: Readonly<Record<Idea['competition']['level'], { readonly label: string; readonly tone: Tone }>> = {
  low: { label: 'Low', tone: 'good' },
  medium: { label: 'Medium', tone: 'warn' },
  high: { label: 'High', tone: 'bad' },
};

export const INTENTS: Readonly<Record<Idea['plan'][number]['intent'], string>> = {
  informational: 'Question',
  commercial: 'Choice',
  transactional: 'Offer',
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const monthsOf = (months: readonly number[]): string =>
  months.length === 0 ? 'All year' : months.map((month) => MONTHS[month - 1]).join(', ');

export const percentOf = (score: number): string => `${Math.round(score * 100)}%`;

/** Of 1,000 visitors; a range where it comes from the terms. */
export function earningsOf({ earnings }: Pick<IdeaProgram, 'earnings'>): string {
  if (!earnings) return 'No exchange rate';
  const { low, high, currency } = earnings;
  return low === high
    ? formatMoney(low, currency)
    : `${formatMoney(low, currency, 0)}–${formatMoney(high, currency, 0)}`;
}

export const basisOf = ({ earnings }: Pick<IdeaProgram, 'earnings'>): string =>
  earnings?.basis === 'results' ? 'from your results' : 'estimate from its terms';

/** Why there are no ideas, and what to do. */
export const noIdeasNote = (reason: NonNullable<Ideas['emptyReason']>, least: number): string => {
  if (reason === 'interests_unclear')
    return 'We couldn’t tell which niches your interests are about. Name topics or products, such as dogs, coffee or hiking.';
  if (reason === 'all_chosen')
    return 'You have saved or dismissed every idea for these interests. Add other interests, or restore a dismissed idea.';
  return `No idea reaches the ${percentOf(least)} minimum for your answers. Try other interests, more time or more money.`;
};
