import { LoaderCircle } from 'lucide-react';
import { ago } from '@/lib/dates';
import { useNow } from '@/lib/dates/now';

/** "Updated 4 s ago", ticking alone so that nothing beside it is drawn again. */
export function Updated({ at, fetching = false }: { readonly at: number; readonly fetching?: boolean }) {
  const now = useNow();
  return (
    <span className="inline-flex items-center gap-1.5 text-xs text-muted">
      {fetching && <LoaderCircle aria-hidden className="size-3 animate-spin" />}
      {at > 0 ? `Updated ${ago(at, now)} ago` : 'Not loaded yet'}
    </span>
  );
}
