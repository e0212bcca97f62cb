import { Search, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { isNarrowed, type ListingSearch } from '../lib/search';
import { NICHE_LABELS, NICHES, parseDollars, SORT_LABELS, SORTS } from '../lib/format';

interface Props {
  readonly state: ListingSearch;
  readonly onChange: (part: Partial<ListingSearch>) => void;
}

const TYPING_MS = 250;

/** Search box, niche, sort, price and verification; what is chosen is in the address. */
export function Filters({ state, onChange }: Props) {
  return (
    <div role="search" aria-label="Listings" className="mb-6 flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <TypedSearch value={state.search} onChange={(search) => onChange({ search })} />
        <Select
          label="Niche"
          value={state.niche ?? 'all'}
          onChange={(event) => onChange({ niche: NICHES.find((niche) => niche === event.target.value) ?? null })}
        >
          <option value="all">All Niches</option>
          {NICHES.map((niche) => (
            <option key={niche} value={niche}>
              {NICHE_LABELS[niche]}
            </option>
          ))}
        </Select>
        <Select
          label="Sort by"
          value={state.sort}
          onChange={(event) => onChange({ sort: SORTS.find((sort) => sort === event.target.value) ?? 'recent' })}
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {SORT_LABELS[sort]}
            </option>
          ))}
        </Select>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-[0.8125rem]">
        <PriceBound label="Lowest price" value={state.minPrice} onChange={(minPrice) => onChange({ minPrice })} />
        <span aria-hidden className="-mx-1.5 text-muted">
          –
        </span>
        <PriceBound label="Highest price" value={state.maxPrice} onChange={(maxPrice) => onChange({ maxPrice })} />
        <Check label="Verified only" checked={state.verified} onChange={(verified) => onChange({ verified })} />
        {isNarrowed(state) && (
          <Button
            size="sm"
            variant="ghost"
            onClick={() => onChange({ search: '', niche: null, minPrice: null, maxPrice: null, verified: false })}
          >
            <X aria-hidden className="size-3.5" />
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

/** The address follows once the typing rests; what changes there otherwise shows here. */
function TypedSearch({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const [given, setGiven] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== given) {
    setGiven(value);
    if (value !== sent) {
      setSent(value);
      setText(value);
    }
  }
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    if (text === sent) return;
    const timer = setTimeout(() => {
      setSent(text);
      latest.current(text);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, sent]);
  return (
    <div className="relative min-w-0 flex-1 basis-64">
      <Search aria-hidden className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted" />
      <input
        type="search"
        aria-label="Search listings"
        placeholder="Search listings..."
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-9 w-full rounded-lg border border-line bg-surface pr-3 pl-9 hover:border-line-strong"
      />
    </div>
  );
}

/** Applied on Enter and on blur; follows other changes of the URL. */
function PriceBound({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}) {
  const id = useId();
  const [text, setText] = useState(textOf(value));
  const [given, setGiven] = useState(value);
  if (value !== given) {
    setGiven(value);
    if (parseDollars(text) !== value) setText(textOf(value));
  }
  const wrong = text.trim() !== '' && parseDollars(text) === null;
  const take = () => {
    const next = parseDollars(text);
    if (!wrong && next !== value) onChange(next);
  };
  return (
    <div>
      <input
        aria-label={label}
        aria-invalid={wrong || undefined}
        aria-describedby={wrong ? id : undefined}
        inputMode="numeric"
        placeholder={`${label} ($)`}
        maxLength={17}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take();
        }}
        className="h-8 w-36 rounded-lg border border-line bg-surface px-2.5 tabular hover:border-line-strong aria-invalid:border-bad"
      />
      {wrong && (
        <p id={id} className="mt-1 text-bad">
          Whole dollars, like 25000
        </p>
      )}
    </div>
  );
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));
