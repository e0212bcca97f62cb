import { Lightbulb, TrendingDown, TrendingUp, TriangleAlert, type LucideIcon } from 'lucide-react';

export interface InsightStyle {
  readonly Icon: LucideIcon;
  readonly label: string;
  /** Decline and warning. */
  readonly destructive: boolean;
  readonly tone: string;
}

const STYLES: Readonly<Record<string, InsightStyle>> = {
  growth: { Icon: TrendingUp, label: 'Growth', destructive: false, tone: 'bg-good-soft text-good' },
  decline: { Icon: TrendingDown, label: 'Decline', destructive: true, tone: 'bg-bad-soft text-bad' },
  opportunity: { Icon: Lightbulb, label: 'Opportunity', destructive: false, tone: 'bg-brand-soft text-brand' },
};
const WARNING: InsightStyle = {
  Icon: TriangleAlert,
  label: 'Warning',
  destructive: true,
  tone: 'bg-bad-soft text-bad',
};

/** Whatever is none of the three is a warning. */
export const styleOf = (insightType: string): InsightStyle => STYLES[insightType] ?? WARNING;
