import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark, Search } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card, surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { Ask } from './action-confirmation';
import { CardGrid } from './card-grid';
import { describeCriteria } from './listings';
import { endWatch, removeSearch, savedSearchesQuery, watchesQuery } from '../api/saved';
import { writeState } from '../lib/search';
import type { SavedSearch } from '../lib/types';

/** A member's saved searches and watched listings. */
export function Saved() {
  const watches = useCursorQuery(watchesQuery);
  return (
    <div className="flex flex-col gap-8">
      <SavedSearches />
      <section aria-label="Watch list">
        <h2 className="mb-4 text-lg font-semibold">Watch list</h2>
        <CardGrid
          label="Watched listings"
          query={watches}
          none={
            <div className={cx(surface, 'py-6')}>
              <Empty icon={<Bookmark aria-hidden className="size-5" />}>
                No watched listings yet. Watch a listing to see it here.
              </Empty>
            </div>
          }
          footer={(listing) => <Unwatch id={listing.id} title={listing.title} />}
        />
      </section>
    </div>
  );
}

function Unwatch({ id, title }: { readonly id: string; readonly title: string }) {
  const end = useCommand(endWatch);
  return (
    <>
      {end.error && <ErrorBox error={end.error} className="w-full" />}
      <Button size="sm" busy={end.isPending} aria-label={`Stop watching ${title}`} onClick={() => end.mutate(id)}>
        Stop watching
      </Button>
    </>
  );
}

function SavedSearches() {
  const searches = useQuery(savedSearchesQuery);
  const [ending, setEnding] = useState<SavedSearch | null>(null);
  return (
    <Card title="Saved searches" description="You get an email when a new listing matches.">
      {searches.error && (
        <ErrorBox
          error={searches.error}
          prefix="Error loading saved searches"
          onRetry={() => void searches.refetch()}
        />
      )}
      {!searches.data && !searches.error && <Skeleton className="h-20" />}
      {searches.data?.length === 0 && (
        <Empty icon={<Search aria-hidden className="size-5" />} className="py-6">
          No saved searches yet. Filter the marketplace and save the search.
        </Empty>
      )}
      {searches.data && searches.data.length > 0 && (
        <ul aria-label="Saved searches" className="divide-y divide-line">
          {searches.data.map((item) => (
            <li key={item.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
              <div className="min-w-0 flex-1 basis-52">
                <Link
                  to="/marketplace"
                  search={writeState({ ...item, sort: 'recent' })}
                  className="font-medium break-words text-brand underline"
                >
                  {describeCriteria(item)}
                </Link>
                <p className="text-[0.8125rem] text-muted">{`Saved ${formatZoned(item.createdAt, browserTimezone())}`}</p>
              </div>
              <Button
                size="sm"
                aria-label={`Remove the search ${describeCriteria(item)}`}
                onClick={() => setEnding(item)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {ending && <EndSearch saved={ending} onClose={() => setEnding(null)} />}
    </Card>
  );
}

function EndSearch({ saved, onClose }: { readonly saved: SavedSearch; readonly onClose: () => void }) {
  const remove = useCommand(removeSearch, { onSuccess: onClose });
  return (
    <Ask
      title="Remove this search?"
      action="Remove"
      danger
      doing={remove}
      onConfirm={() => remove.mutate(saved.id)}
      onClose={onClose}
      description={`${describeCriteria(saved)}. You no longer receive emails about it.`}
    />
  );
}
