import { useId, useState } from 'react';
import type { Partner } from '@/lib/api/types';

interface Props {
  readonly partners: readonly Partner[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly error: string | undefined;
}

const SEARCHED = 8;

/** One partner of many: all are in view, and a search narrows them. */
export function PartnerChoice({ partners, value, onChange, error }: Props) {
  const id = useId();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = partners.filter((item) => item.id === value || item.name.toLowerCase().includes(wanted));
  return (
    <fieldset aria-describedby={error ? id : undefined}>
      <legend className="mb-1.5 font-medium">Partner</legend>
      {partners.length > SEARCHED && (
        <input
          type="search"
          aria-label="Search partners"
          placeholder="Search…"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="mb-1.5 h-9 w-full rounded-lg border border-line bg-surface px-3 hover:border-line-strong"
        />
      )}
      <div className="max-h-48 overflow-y-auto rounded-lg border border-line p-1">
        {shown.length === 0 && <p className="px-2.5 py-1.5 text-muted">No partner matches.</p>}
        {shown.map((item) => (
          <label key={item.id} className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 hover:bg-sunken">
            <input
              type="radio"
              name={id}
              className="size-4 shrink-0 accent-brand"
              checked={item.id === value}
              onChange={() => onChange(item.id)}
            />
            <span className="min-w-0 truncate">
              {item.name}
              {item.isPrivate && ' (private)'}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id={id} className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}
