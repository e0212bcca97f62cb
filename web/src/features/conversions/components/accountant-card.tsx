import { Download } from 'lucide-react';
import { useState } from 'react';
import { buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { Website } from '@/lib/api/types';
import { todayIn } from '@/lib/dates';
import { accountantFile } from '../api/payouts';
import { addMonths } from '../lib/search';

/** The statements of all partners in one file: last month, unless other months are chosen. */
export function AccountantCard({ website }: { readonly website: Website }) {
  const now = todayIn(website.timezone).slice(0, 7);
  const [from, setFrom] = useState(addMonths(now, -1));
  const [to, setTo] = useState(addMonths(now, -1));
  const [first, last] = from <= to ? [from, to] : [to, from];
  return (
    <Card
      title="For the accountant"
      description="Every partner’s statements in one CSV file: earned, reversed, payable, paid and open, by month."
    >
      <div className="flex flex-wrap items-end gap-3">
        <MonthField label="From" value={from} max={now} onChange={setFrom} />
        <MonthField label="To" value={to} max={now} onChange={setTo} />
        <a className={buttonClass({})} href={accountantFile(website.id, first, last)} download>
          <Download aria-hidden className="size-4" />
          Download CSV
        </a>
      </div>
    </Card>
  );
}

interface MonthProps {
  readonly label: string;
  readonly value: string;
  readonly max: string;
  readonly onChange: (month: string) => void;
}

const MonthField = ({ label, value, max, onChange }: MonthProps) => (
  <label className="flex flex-col gap-1.5 font-medium">
    {label}
    <input
      type="month"
      value={value}
      min="1990-01"
      max={max}
      required
      className="h-9 rounded-lg border border-line bg-surface px-2"
      onChange={(event) => event.target.value && onChange(event.target.value)}
    />
  </label>
);
