import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button } from '@/components/ui/button';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { publishSite, unpublishSite, useSitesChanged } from '../api/sites';
import type { Site } from '../lib/types';

const ConfirmDialog = lazy(() =>
  import('@/components/ui/confirm-dialog').then((module) => ({ default: module.ConfirmDialog })),
);

interface Props {
  readonly site: Site;
  /** Saves what is not saved yet. True: everything is. */
  readonly beforePublish: () => Promise<boolean>;
}

/** Publishes what is saved: all pages of the site. */
export function PublishButton({ site, beforePublish }: Props) {
  const changed = useSitesChanged();
  const [rendered, setRendered] = useState('');
  const publish = useMutation({
    mutationFn: async () => {
      if (!(await beforePublish())) throw new Error('Save your changes first.');
      return publishSite(site.id, setRendered);
    },
    onSettled: () => setRendered(''),
    onSuccess: async () => {
      toast('Site published', site.address);
      await changed();
    },
    onError: (error) => toastError('Not published', messageOf(error)),
  });
  return (
    <Button variant="primary" busy={publish.isPending} onClick={() => publish.mutate()}>
      {rendered ? `Rendered ${rendered}` : site.published === null ? 'Publish' : 'Publish changes'}
    </Button>
  );
}

export function PublishButtons({ site, beforePublish }: Props) {
  const [asking, setAsking] = useState(false);
  const changed = useSitesChanged();
  const unpublish = useMutation({
    mutationFn: () => unpublishSite(site.id),
    onSuccess: async () => {
      toast('Site unpublished', 'Visitors no longer see it.');
      await changed();
    },
    onError: (error) => toastError('Failed to unpublish', messageOf(error)),
  });
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
            onConfirm={() => unpublish.mutate()}
          />
        </Suspense>
      )}
    </>
  );
}
