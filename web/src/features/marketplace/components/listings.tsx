import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BellPlus, Store } from 'lucide-react';
import { useState } from 'react';
import { Empty } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { useSession } from '@/lib/session';
import { Ask } from './action-confirmation';
import { CardGrid, CardSkeletons } from './card-grid';
import { Filters } from './filters';
import { NoteOfTerms } from './terms-note';
import { dealTermsQuery } from '../api/deal-terms';
import { listingsQuery } from '../api/listings';
import { saveSearch } from '../api/saved';
import { criteriaOf, isNarrowed, ofNiche, type ListingSearch } from '../lib/search';
import { formatPrice, NICHE_LABELS } from '../lib/format';

interface Props {
  readonly state: ListingSearch;
  readonly onChange: (part: Partial<ListingSearch>) => void;
}

/** Everything that is for sale, narrowed by the address. */
export function Listings({ state, onChange }: Props) {
  const listings = useCursorQuery(listingsQuery(state));
  const terms = useQuery(dealTermsQuery);
  const session = useSession();
  const [saving, setSaving] = useState(false);
  return (
    <>
      <Filters state={state} onChange={onChange} />
      {session && isNarrowed(state) && (
        <Button size="sm" className="mb-4" onClick={() => setSaving(true)}>
          <BellPlus aria-hidden className="size-3.5" />
          Save this search
        </Button>
      )}
      {terms.isPending && terms.failureCount === 0 ? (
        <CardSkeletons /> // a note that comes after the cards would move them
      ) : (
        <>
          <NoteOfTerms terms={terms.data} className="mb-4" />
          <CardGrid
            label="Listings"
            query={listings}
            select={(rows) => ofNiche(rows, state.niche)}
            none={
              <div className={cx(surface, 'py-8')}>
                <Empty icon={<Store aria-hidden className="size-5" />}>No listings found matching your criteria.</Empty>
              </div>
            }
          />
        </>
      )}
      {saving && <SaveSearch state={state} onClose={() => setSaving(false)} />}
    </>
  );
}

function SaveSearch({ state, onClose }: { readonly state: ListingSearch; readonly onClose: () => void }) {
  const save = useCommand(saveSearch, { onSuccess: onClose });
  return (
    <Ask
      title="Save this search?"
      action="Save search"
      doing={save}
      onConfirm={() => save.mutate(criteriaOf(state))}
      onClose={onClose}
      description="You get an email when a new listing matches. Every email has an unsubscribe link."
    >
      <p className="font-medium">{describeCriteria(state)}</p>
      <p className="text-[0.8125rem] text-muted">
        See all of them under{' '}
        <Link to="/marketplace/saved" className="text-brand underline">
          Saved
        </Link>
        .
      </p>
    </Ask>
  );
}

/** "“vpn reviews” · Hosting · from $1,000 · up to $50,000 · verified only" */
export function describeCriteria({ search, niche, minPrice, maxPrice, verified }: Omit<ListingSearch, 'sort'>): string {
  const parts = [
    search.trim() && `“${search.trim()}”`,
    niche && NICHE_LABELS[niche],
    minPrice !== null && `from ${formatPrice(minPrice)}`,
    maxPrice !== null && `up to ${formatPrice(maxPrice)}`,
    verified && 'verified only',
  ].filter(Boolean);
  return parts.join(' · ') || 'Every new listing';
}
