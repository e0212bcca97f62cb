// Name and badges of an inquiry, for list and details.
import { Badge, type Tone } from '@/components/ui/badge';
import { useNow } from '@/lib/dates/now';
import { STATUSES, type Inquiry, type InquiryStatus } from '../api/admin';
import { timeLeft } from '../lib/time-left';

const TONES: Readonly<Record<InquiryStatus, Tone>> = {
  new: 'brand',
  in_progress: 'warn',
  answered: 'good',
  closed: 'neutral',
  spam: 'neutral',
};

export const nameOf = ({ firstName, lastName }: Pick<Inquiry, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`;

export const StatusBadge = ({ status }: { readonly status: InquiryStatus }) => (
  <Badge tone={TONES[status]}>{STATUSES[status]}</Badge>
);

export function TimeLeft({ answerBy }: { readonly answerBy: string }) {
  const { text, tone } = timeLeft(answerBy, useNow());
  return <Badge tone={tone}>{text}</Badge>;
}
