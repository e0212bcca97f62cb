// What matching's states and terms are called, and the colours and lengths of spec §9.
import type { Tone } from '@/components/ui/badge';
import { formatMoney } from '@/lib/format';
import type { ApplicationStatus, EmptyReason, Recommendation, Wording } from '../api/matching';

export const MIN_IDEA = 10;
export const MAX_IDEA = 4000;
/** Programs per wording request: the first ones. */
export const MAX_WORDED = 8;
export const TOO_SHORT = 'Please provide a more detailed business idea (at least 10 characters)';

/** Spec §9: green at 0.8 or more, yellow at 0.6 or more, red below. */
export const scoreTone = (score: number): Tone => (score >= 0.8 ? 'good' : score >= 0.6 ? 'warn' : 'bad');

/** Spec §9: 90 for high, 60 for medium, otherwise 30. */
export const potentialBar = (potential: string): number =>
  potential === 'high' ? 90 : potential === 'medium' ? 60 : 30;

const VERDICTS: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  highly_recommended: { label: 'Highly Recommended', tone: 'good' },
  recommended: { label: 'Recommended', tone: 'brand' },
  consider: { label: 'Consider', tone: 'warn' },
};
export const verdictOf = (verdict: string) => VERDICTS[verdict] ?? { label: 'Review Needed', tone: 'neutral' as Tone };

export function commissionOf({
  commissionRate,
  commissionAmount,
  commissionCurrency,
  recurring,
}: Recommendation): string {
  const parts = [
    commissionRate === null ? '' : `${commissionRate}%`,
    commissionAmount === null || commissionCurrency === null ? '' : formatMoney(commissionAmount, commissionCurrency),
  ].filter(Boolean);
  return `${parts.join(' + ')} ${recurring ? 'recurring commission' : 'commission'}`;
}

export const cookieOf = (days: number): string => (days === 0 ? 'Session cookie' : `${days}-day cookie`);

const PAID: Readonly<Record<string, string>> = {
  weekly: 'weekly',
  biweekly: 'every two weeks',
  monthly: 'monthly',
  quarterly: 'quarterly',
  on_request: 'on request',
};
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
  industry: 'Industry',
  text: 'Keywords',
  commission: 'Commission',
  cookie: 'Cookie',
  approval: 'Approval',
  results: 'Your results',
};
export const partName = (name: string): string => PARTS[name] ?? name;

const SILENCE: Readonly<Record<string, string>> = {
  not_configured: 'AI is not configured',
  switched_off: 'AI is turned off',
  resting: 'AI is temporarily paused after errors',
  budget: 'the AI budget is used up for now',
  unavailable: 'AI did not respond',
  bad_answer: 'the AI response was not usable',
  not_believed: 'the AI response was discarded: not supported by the data',
};
const describeSilence = (silence: string): string => SILENCE[silence] ?? silence;

export const methodNote = (method: string, silence: string | null | undefined): string =>
  method === 'model'
    ? 'Analyzed by AI; please verify the result.'
    : `Analyzed by rules${silence ? `: ${describeSilence(silence)}` : ''}.`;

/** Whose words the reasons of programs are in. */
export const wordingNote = (
  { narratedBy, silence }: Pick<Wording, 'narratedBy' | 'silence'>,
  what = 'Reasons',
): string =>
  narratedBy === 'model'
    ? `${what} are AI-written and checked against our rules. Scores never come from AI.`
    : `${what} are rule-based${silence ? `: ${describeSilence(silence)}` : ''}.`;

const percentOf = (score: number): string => `${Math.round(score * 100)}%`;

export const belowNote = (least: number): string => `Programs that match less than ${percentOf(least)} are not shown.`;

/** Why no program is recommended, and what to do. */
export const emptyNote = (reason: EmptyReason, least: number): string =>
  reason === 'idea_unclear'
    ? "We couldn't tell which industry your idea is about. Add the topic and what readers could buy."
    : `No program reaches the ${percentOf(least)} minimum for your idea. Try describing it in other words.`;

/** Counts that it was followed, and leads to the program's page. */
export const trackedLink = (applicationId: string): string =>
  `/api/platform/affiliate/applications/${encodeURIComponent(applicationId)}/go`;
