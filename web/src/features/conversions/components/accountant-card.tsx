import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Download } from 'lucide-react';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { Select } from '@/components/ui/field';
import { LatePopover } from '@/components/ui/late-popover';
import { Segments } from '@/components/ui/segments';
import type { Website } from '@/lib/api/types';
import { todayIn } from '@/lib/dates';
import { accountantFile, accountantQuery, type AccountantChoice } from '../api/payouts';
import { lackingTexts, spanOf, sumTexts, usualMonths, type NamedMonths } from '../lib/accountant';
import { addMonths } from '../lib/search';

interface Props {
  readonly websites: readonly Website[];
  /** The one of the page: its time zone says which month it is. */
  readonly website: Website;
}

/** The statements of all partners in one file: of some or all websites, of the usual periods or chosen months. */
export function AccountantCard({ websites, website }: Props) {
  const now = todayIn(website.timezone).slice(0, 7);
  const [currency, setCurrency] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [from, setFrom] = useState(addMonths(now, -12));
  const [to, setTo] = useState(addMonths(now, -1));
  const usual = usualMonths(now);
  const shown = usualCurrencies(websites);
  const [first, last] = from <= to ? [from, to] : [to, from];
  const choice: AccountantChoice = { websites: chosen, currency };
  return (
    <Card
      title="For the accountant"
      description="Every partner’s statements in one file: earned, reversed, payable, paid and open, by month, with totals."
      actions={
        <>
          {websites.length > 1 && <WebsitesChooser websites={websites} chosen={chosen} onChoose={setChosen} />}
          <Segments
            label="Currency"
            options={[{ id: '', label: 'Own currency' }, ...shown.map((code) => ({ id: code, label: code }))]}
            value={shown.includes(currency) ? currency : ''}
            onChange={setCurrency}
          />
          <Select
            label="Other currency"
            value={shown.includes(currency) ? '' : currency}
            onChange={(event) => setCurrency(event.target.value)}
          >
            <option value="">Other…</option>
            {OTHER_CURRENCIES.filter((code) => !shown.includes(code)).map((code) => (
              <option key={code} value={code}>
                {code}
              </option>
            ))}
          </Select>
        </>
      }
    >
      <ul aria-label="Files" className="divide-y divide-line border-y border-line">
        <Usual choice={choice} ranges={usual} />
        <li className="flex flex-wrap items-end gap-3 py-3">
          <MonthField label="From" value={from} max={now} onChange={setFrom} />
          <MonthField label="To" value={to} max={now} onChange={setTo} />
          <div className="ml-auto">
            <Files choice={choice} months={{ name: 'the chosen months', from: first, to: last }} />
          </div>
        </li>
      </ul>
      {currency && (
        <p className="mt-3 text-[0.8125rem] text-muted">
          Bookings and payouts are converted at the rate of their day, balances at that of the month’s last day.
        </p>
      )}
    </Card>
  );
}

/** Those that a website has, and the usual ones; at most four, side by side. */
const usualCurrencies = (websites: readonly Website[]): readonly string[] =>
  [...new Set([...websites.map((website) => website.currency), 'EUR', 'USD', 'GBP'])].slice(0, 4);

/** Those with a reference rate of the European Central Bank. */
const OTHER_CURRENCIES =
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY USD ZAR'.split(
    ' ',
  );

function Usual({ choice, ranges }: { readonly choice: AccountantChoice; readonly ranges: readonly NamedMonths[] }) {
  const query = useQuery(accountantQuery(choice, spanOf(ranges)));
  const months = query.data?.months;
  return (
    <>
      {query.error && !months && (
        <li className="py-3">
          <ErrorBox error={query.error} prefix="Error loading totals" onRetry={() => void query.refetch()} />
        </li>
      )}
      {ranges.map((range) => (
        <li key={range.name} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
          <span className="w-36 font-medium">{range.name}</span>
          <div className="min-w-0 flex-1 basis-56 text-muted tabular">
            {months ? (
              <>
                {sumTexts(months, range).map((text) => (
                  <p key={text}>{text}</p>
                ))}
                {sumTexts(months, range).length === 0 && <p>Nothing booked or paid</p>}
                {lackingTexts(months, range).map((text) => (
                  <p key={text} className="text-warn">
                    {text}
                  </p>
                ))}
              </>
            ) : (
              !query.error && <Skeleton className="h-5 w-48" />
            )}
          </div>
          <Files choice={choice} months={range} />
        </li>
      ))}
    </>
  );
}

function Files({ choice, months }: { readonly choice: AccountantChoice; readonly months: NamedMonths }) {
  return (
    <div className="flex gap-1.5">
      {(['csv', 'pdf'] as const).map((kind) => (
        <a
          key={kind}
          className={buttonClass({ size: 'sm' })}
          href={accountantFile(choice, months, kind)}
          download
          aria-label={`Download ${kind.toUpperCase()} of ${months.name}`}
        >
          <Download aria-hidden className="size-3.5" />
          {kind.toUpperCase()}
        </a>
      ))}
    </div>
  );
}

interface ChooserProps {
  readonly websites: readonly Website[];
  /** None: all. */
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

function WebsitesChooser({ websites, chosen, onChoose }: ChooserProps) {
  const [open, setOpen] = useState(false);
  const label =
    chosen.length === 0
      ? 'All websites'
      : chosen.length === 1
        ? websites.find((website) => website.id === chosen[0])?.domain
        : `${chosen.length} websites`;
  const toggle = (id: string) =>
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(0, MAX_CHOSEN));
  return (
    <LatePopover
      label="Websites"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button>
          <span className="max-w-40 truncate">{label}</span>
          <ChevronDown aria-hidden className="size-4" />
        </Button>
      }
    >
      <fieldset>
        <legend className="mb-2 font-medium">Websites in the file</legend>
        <div className="flex max-h-72 flex-col gap-2 overflow-y-auto">
          <Check label="All websites" checked={chosen.length === 0} onChange={() => onChoose([])} />
          {websites.map((website) => (
            <Check
              key={website.id}
              label={website.domain}
              checked={chosen.includes(website.id)}
              onChange={() => toggle(website.id)}
            />
          ))}
        </div>
      </fieldset>
    </LatePopover>
  );
}

/** As many as the address of a file takes. */
const MAX_CHOSEN = 100;

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
