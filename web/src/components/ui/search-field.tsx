import { Search } from 'lucide-react';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function SearchField({ label, value, onChange }: Props) {
  return (
    <div className="relative">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label={label}
        placeholder="Search…"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-44 max-w-full rounded-lg border border-line bg-surface pr-2 pl-8 text-[0.8125rem] hover:border-line-strong"
      />
    </div>
  );
}
