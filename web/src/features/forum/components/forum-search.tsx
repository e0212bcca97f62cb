import { Search, X } from 'lucide-react';
import { useState } from 'react';
import { LocalForm } from '@/components/form/local-form';
import { Button } from '@/components/ui/button';

interface Props {
  readonly q: string | null;
  readonly onSearch: (q: string | null) => void;
}

export function ForumSearch({ q, onSearch }: Props) {
  const [text, setText] = useState(q ?? '');
  return (
    <LocalForm
      role="search"
      onSubmit={() => onSearch(text.trim() || null)}
      className="flex min-w-0 flex-1 basis-64 items-center gap-2 sm:max-w-md"
    >
      <div className="relative min-w-0 flex-1">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        />
        <input
          type="search"
          aria-label="Search the forum"
          placeholder="Search the forum…"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-9 w-full rounded-lg border border-line-strong/60 bg-surface pr-3 pl-9 hover:border-line-strong"
        />
      </div>
      <Button type="submit">Search</Button>
      {q && (
        <Button
          variant="ghost"
          size="icon"
          aria-label="Clear the search"
          onClick={() => {
            setText('');
            onSearch(null);
          }}
        >
          <X aria-hidden className="size-4" />
        </Button>
      )}
    </LocalForm>
  );
}
