// What matching's states and terms are called, and the colours and lengths of spec §9.
import type { Tone } from '@/components/ui/badge';
import { formatMoney } from '@/lib/format';
import type { ApplicationStatus, Recommendation, Wording } from './queries';

export const LEAST_IDEA = 10;
export const MOST_IDEA = 4000;
/** Programs that are worded in one go: those that stand first. */
export const MOST_WORDED = 8;
export const TOO_SHORT = 'Please provide a more detailed business idea (at least 10 characters)';

/** Spec §9: green at 0.8 or more, yellow at 0.6 or more, red below. */
export const scoreTone = (score: number): Tone => (score >= 0.8 ? 'good' : score >= 0.6 ? 'warn' : 'bad');

/** Spec §9: 90 for high, 60 for medium, otherwise 30. */
export const potentialBar = (potential: string): number => (potential === 'high' ? 90 : potential === 'medium' ? 60 : 30);

const VERDICTS: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  highly_recommended: { label: 'Highly Recommended', tone: 'good' },
  recommended: { label: 'Recommended', tone: 'brand' },
  consider: { label: 'Consider', tone: 'warn' },
};
export const verdictOf = (verdict: string) => VERDICTS[verdict] ?? { label: 'Review Needed', tone: 'neutral' as Tone };

export function commissionOf({ commissionRate, commissionAmount, commissionCurrency, recurring }: Recommendation): string {
  const parts = [
    commissionRate === null ? '' : `${commissionRate}%`,
    commissionAmount === null || commissionCurrency === null ? '' : formatMoney(commissionAmount, commissionCurrency),
  ].filter(Boolean);
  return `${parts.join(' + ')} ${recurring ? 'recurring commission' : 'commission'}`;
}

export const cookieOf = (days: number): string => (days === 0 ? 'Cookie of the visit only' : `${days}-day cookie`);

const PAID: Readonly<Record<string, string>> = { weekly: 'weekly', biweekly: 'every two weeks', monthly: 'monthly', quarterly: 'quarterly', on_request: 'on request' };
export const paymentOf = (payment: string): string => `Paid ${PAID[payment] ?? payment}`;

export const STATUSES: Readonly<Record<ApplicationStatus, { readonly label: string; readonly tone: Tone }>> = {
  applied: { label: 'Applied', tone: 'brand' },
  in_review: { label: 'In review', tone: 'warn' },
  approved: { label: 'Approved', tone: 'good' },
  rejected: { label: 'Rejected', tone: 'bad' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral' },
};

/** What may become of an application; the server decides it again. */
export const NEXT: Readonly<Record<ApplicationStatus, readonly ApplicationStatus[]>> = {
  applied: ['in_review', 'approved', 'rejected', 'withdrawn'],
  in_review: ['approved', 'rejected', 'withdrawn'],
  approved: ['rejected', 'withdrawn'],
  rejected: ['applied', 'in_review', 'approved'],
  withdrawn: ['applied'],
};

const PARTS: Readonly<Record<string, string>> = {
  industry: 'Industry', text: 'Words', commission: 'Commission', cookie: 'Cookie', approval: 'Approval', results: 'Own results',
};
export const partName = (name: string): string => PARTS[name] ?? name;

const SILENCE: Readonly<Record<string, string>> = {
  not_configured: 'no language model is configured',
  switched_off: 'the language model is switched off',
  resting: 'the language model failed and is left alone for a moment',
  budget: 'the budget for the language model is spent for now',
  unavailable: 'the language model did not answer',
  bad_answer: 'the language model gave no usable answer',
  not_believed: 'the language model’s answer could not be believed',
};
const silenceOf = (silence: string): string => SILENCE[silence] ?? silence;

export const methodNote = (method: string, silence: string | null | undefined): string =>
  method === 'model' ? 'Analyzed by a language model; check it against what you know.' : `Analyzed by documented rules${silence ? `: ${silenceOf(silence)}` : ''}.`;

/** Whose words the reasons of programs are in. */
export const wordingNote = ({ toldBy, silence }: Pick<Wording, 'toldBy' | 'silence'>): string =>
  toldBy === 'model' ? 'Reasons are worded by a language model as far as our own bear it out. Scores are never a model’s.' : `Reasons are in our own words${silence ? `: ${silenceOf(silence)}` : ''}.`;

/** Counts that it was followed, and leads to the program's page. */
export const trackedLink = (applicationId: string): string => `/api/platform/affiliate/applications/${encodeURIComponent(applicationId)}/go`;
