import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link2, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyButton } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { api, done } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { Link, Website } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import { partnersQuery } from '@/lib/shared-queries';
import { toast, toastError } from '@/stores/toasts';
import { CreateLink } from './create-link';
import { linksQuery } from './queries';

export function LinksCard({ website, className }: { readonly website: Website; readonly className?: string }) {
  const client = useQueryClient();
  const links = useQuery(linksQuery(website.id));
  const partners = useQuery(partnersQuery);
  const [creating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<Link | null>(null);
  const remove = useMutation({
    mutationFn: (link: Link) => done(api.DELETE('/api/platform/links/{id}', { params: { path: { id: link.id } } })),
    onSuccess: () => toast('Link removed'),
    onError: (error) => toastError('Failed to remove the link', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: linksQuery(website.id).queryKey }),
  });
  const partnerName = (link: Link) => link.partnerName ?? partners.data?.find((partner) => partner.id === link.partnerId)?.name ?? 'Partner';
  return (
    <Card
      title="Links"
      description="Each use of a link is a click. Put them where you recommend a partner."
      {...(className ? { className } : {})}
      actions={
        <Button size="sm" onClick={() => setCreating(true)}>
          <Plus aria-hidden className="size-3.5" />
          Create link
        </Button>
      }
    >
      {links.error ? (
        <ErrorBox error={links.error} prefix="Error loading links" onRetry={() => void links.refetch()} />
      ) : !links.data ? (
        <div role="status" aria-label="Loading Links">
          <Skeleton className="h-32" />
        </div>
      ) : links.data.length === 0 ? (
        <Empty icon={<Link2 aria-hidden className="size-5" />} title="No links yet">
          Create one for a partner to count the clicks that you send.
        </Empty>
      ) : (
        <ul className="-my-1 divide-y divide-line sm:max-h-96 sm:overflow-y-auto" role="list" aria-label="Tracked links" tabIndex={0}>
          {links.data.map((link) => (
            <li key={link.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
              <div className="min-w-0 flex-1 basis-52">
                <p className="truncate font-medium">
                  {partnerName(link)}
                  {link.sub1 && <span className="font-normal text-muted"> · {link.sub1}</span>}
                </p>
                <p className="truncate text-[0.8125rem] text-muted" title={link.destination}>
                  {link.url}
                </p>
              </div>
              {link.clicks !== null && (
                <p className="text-right text-[0.8125rem] text-muted tabular">
                  {formatCount(link.clicks)} clicks
                  {link.earnings && <span className="block">{formatMinor(link.earnings)}</span>}
                </p>
              )}
              <div className="flex gap-1.5">
                <CopyButton text={link.url} label={`link ${link.slug}`} />
                <Button size="sm" variant="ghost" aria-label={`Remove link ${link.slug}`} onClick={() => setRemoving(link)}>
                  <Trash2 aria-hidden className="size-3.5" />
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {creating && <CreateLink website={website} partners={partners} onClose={() => setCreating(false)} />}
      {removing && (
        <Dialog
          open
          onOpenChange={(open) => {
            if (!open) setRemoving(null);
          }}
          title="Remove this link?"
          description={`${removing.url} stops working. Its past clicks stay counted.`}
        >
          <div className="flex justify-end gap-2">
            <Button onClick={() => setRemoving(null)}>Cancel</Button>
            <Button
              variant="danger"
              onClick={() => {
                remove.mutate(removing);
                setRemoving(null);
              }}
            >
              Remove link
            </Button>
          </div>
        </Dialog>
      )}
    </Card>
  );
}
