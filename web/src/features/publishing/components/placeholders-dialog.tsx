// Before a site with texts in square brackets is published: which ones, where, and the way to each.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { placeholdersQuery } from '../api/sites';
import type { SitePage } from '../lib/document';
import { placeholdersByPage, placeOfText } from '../lib/placeholders';
import type { Placeholder } from '../lib/types';

interface Props {
  readonly siteId: string;
  readonly pages: readonly SitePage[];
  readonly onClose: () => void;
  readonly onPublish: () => void;
}

export function PlaceholdersDialog({ siteId, pages, onClose, onPublish }: Props) {
  const found = useQuery(placeholdersQuery(siteId));
  const count = found.data?.count;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={count === undefined ? 'Placeholders to fill in' : counted(count)}
      description="Visitors would see these texts in square brackets. Fill them in first, or publish them as they are."
    >
      {found.error && (
        <ErrorBox error={found.error} prefix="Error loading the placeholders" onRetry={() => void found.refetch()} />
      )}
      {found.isPending && <Loading label="Loading placeholders" />}
      {found.data && (
        <div className="flex max-h-[45vh] flex-col gap-4 overflow-y-auto">
          {placeholdersByPage(found.data.places, pages).map(({ pageId, title, places }) => (
            <section key={pageId ?? 'site'} aria-label={title}>
              <h3 className="flex gap-2 font-medium">
                <span className="min-w-0 truncate">{title}</span>
                <span className="tabular-nums text-muted">{places.length}</span>
              </h3>
              <ul className="mt-1 flex flex-col">
                {places.map((place, index) => (
                  <li key={index}>
                    <PlaceLink siteId={siteId} place={place} onFollow={onClose} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
          {found.data.count > found.data.places.length && (
            <p className="text-muted">{`And ${found.data.count - found.data.places.length} more.`}</p>
          )}
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep editing</Button>
        <Button
          variant="danger"
          onClick={() => {
            onClose();
            onPublish();
          }}
        >
          Publish with placeholders
        </Button>
      </div>
    </Dialog>
  );
}

const counted = (count: number): string =>
  count === 1 ? '1 placeholder to fill in' : `${count.toLocaleString('en-US')} placeholders to fill in`;

interface LinkProps {
  readonly siteId: string;
  readonly place: Placeholder;
  readonly onFollow: () => void;
}

function PlaceLink({ siteId, place, onFollow }: LinkProps) {
  const look = 'flex min-h-8 items-center gap-2 rounded-md px-2 py-1 text-[0.8125rem] hover:bg-sunken';
  const { pageId, placement, field, text } = place;
  const inside = (
    <>
      <span className="min-w-0 flex-1 truncate text-brand">{text}</span>
      <span className="shrink-0 text-muted">{placeOfText(place)}</span>
    </>
  );
  if (pageId && placement)
    return (
      <Link
        to="/builder/$site/$page"
        params={{ site: siteId, page: pageId }}
        search={{ block: placement, field, text }}
        className={look}
        onClick={onFollow}
      >
        {inside}
      </Link>
    );
  return (
    <Link
      to="/builder/$site"
      params={{ site: siteId }}
      search={pageId ? { tab: 'pages', page: pageId } : { tab: 'settings' }}
      className={look}
      onClick={onFollow}
    >
      {inside}
    </Link>
  );
}
