import { ChevronRight } from 'lucide-react';
import { formatCount, formatMinor, formatPercent } from '@/lib/format';
import type { Totals } from '../lib/report';

/** From reach to revenue: what all channels have in the range, and how much of each step becomes the next. */
export function ReportTotals({ totals }: { readonly totals: Totals }) {
  const { views, clicks, conversions, revenue, currency, clickRate, conversionRate } = totals;
  return (
    <dl aria-label="Totals" className="mb-4 grid grid-cols-2 gap-2 rounded-lg bg-sunken p-3 lg:grid-cols-4">
      <Step name="Reach" unit="views" value={views === null ? '–' : formatCount(views)} />
      <Step name="Clicks" value={formatCount(clicks)} rate={rateText(clickRate, 'of views')} />
      <Step name="Sales" value={formatCount(conversions)} rate={rateText(conversionRate, 'of clicks')} />
      <Step name="Revenue" value={formatMinor({ amount: revenue, currency })} />
    </dl>
  );
}

const rateText = (rate: number | null, of: string): string => (rate === null ? '' : `${formatPercent(rate)} ${of}`);

interface StepProps {
  readonly name: string;
  readonly unit?: string;
  readonly value: string;
  readonly rate?: string;
}

function Step({ name, unit, value, rate }: StepProps) {
  return (
    <div className="min-w-0">
      <dt className="flex items-center gap-1 text-xs text-muted">
        {name !== 'Reach' && <ChevronRight aria-hidden className="size-3" />}
        {name}
      </dt>
      <dd>
        <span className="text-base font-semibold tabular wrap-anywhere">{value}</span>
        {unit && <span className="ml-1 text-xs text-muted">{unit}</span>}
        {rate && <span className="block text-xs text-muted tabular">{rate}</span>}
      </dd>
    </div>
  );
}
