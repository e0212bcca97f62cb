import { lazy, Suspense, useState } from 'react';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { hasPlaceholders, publishSite, unpublishSite } from '../api/sites';
import type { Site } from '../lib/types';

const ConfirmDialog = lazy(() =>
  import('@/components/ui/confirm-dialog').then((module) => ({ default: module.ConfirmDialog })),
);
const PlaceholdersDialog = lazy(() =>
  import('./placeholders-dialog').then((module) => ({ default: module.PlaceholdersDialog })),
);

interface Props {
  readonly site: Site;
  /** Saves what is not saved yet. True: everything is. */
  readonly beforePublish: () => Promise<boolean>;
}

/** Publishes what is saved: all pages of the site. Asks while texts are still to fill in. */
export function PublishButton({ site, beforePublish }: Props) {
  const [rendered, setRendered] = useState('');
  const [asking, setAsking] = useState(false);
  const clear = () => setRendered('');
  const publish = useCommand(publishSite(site), {
    onSuccess: clear,
    onError: (error) => {
      clear();
      setAsking(hasPlaceholders(error));
    },
  });
  const send = (allowsPlaceholders: boolean) =>
    publish.mutate({ beforePublish, onProgress: setRendered, allowsPlaceholders });
  return (
    <>
      <Button variant="primary" busy={publish.isPending} onClick={() => send(false)}>
        {rendered ? `Rendered ${rendered}` : site.published === null ? 'Publish' : 'Publish changes'}
      </Button>
      {asking && (
        <Suspense fallback={null}>
          <PlaceholdersDialog
            siteId={site.id}
            pages={site.document.pages}
            onClose={() => setAsking(false)}
            onPublish={() => send(true)}
          />
        </Suspense>
      )}
    </>
  );
}

export function PublishButtons({ site, beforePublish }: Props) {
  const [asking, setAsking] = useState(false);
  const unpublish = useCommand(unpublishSite);
  return (
    <>
      {site.published !== null && (
        <Button busy={unpublish.isPending} onClick={() => setAsking(true)}>
          Unpublish
        </Button>
      )}
      <PublishButton site={site} beforePublish={beforePublish} />
      {asking && (
        <Suspense fallback={null}>
          <ConfirmDialog
            title={`Unpublish ${site.name}?`}
            description="Visitors no longer find it. Its pages and releases stay, and you can publish it again."
            action="Unpublish"
            onClose={() => setAsking(false)}
            onConfirm={() => unpublish.mutate(site.id)}
          />
        </Suspense>
      )}
    </>
  );
}
