import { Lightbulb, TrendingDown, TrendingUp, TriangleAlert, type LucideIcon } from 'lucide-react';

export interface Look {
  readonly Icon: LucideIcon;
  readonly word: string;
  /** Decline and warning. */
  readonly destructive: boolean;
  readonly tone: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  growth: { Icon: TrendingUp, word: 'Growth', destructive: false, tone: 'bg-good-soft text-good' },
  decline: { Icon: TrendingDown, word: 'Decline', destructive: true, tone: 'bg-bad-soft text-bad' },
  opportunity: { Icon: Lightbulb, word: 'Opportunity', destructive: false, tone: 'bg-brand-soft text-brand' },
};
const WARNING: Look = { Icon: TriangleAlert, word: 'Warning', destructive: true, tone: 'bg-bad-soft text-bad' };

/** Whatever is none of the three is a warning. */
export const lookOf = (insightType: string): Look => LOOKS[insightType] ?? WARNING;
