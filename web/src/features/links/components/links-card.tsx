import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link2, ListPlus, Plus } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { Link, Website } from '@/lib/api/types';
import { countOf, formatMinor } from '@/lib/format';
import { partnersQuery } from '@/lib/shared-queries';
import { LinkActions, LinkBadges, LinkDialog, type OpenLink } from './link-actions';
import { BulkCreate, CreateLink } from './dialogs';
import { linksQuery } from '../api/links';

export function LinksCard({ website, className }: { readonly website: Website; readonly className?: string }) {
  const links = useInfiniteQuery(linksQuery(website.id));
  const rows = links.data?.pages.flatMap((page) => page.data) ?? [];
  const partners = useQuery(partnersQuery);
  const [making, setMaking] = useState<'one' | 'many' | null>(null);
  const [open, setOpen] = useState<OpenLink | null>(null);
  const partnerName = (link: Link) =>
    link.partnerName ?? partners.data?.find((partner) => partner.id === link.partnerId)?.name ?? 'Partner';
  return (
    <Card
      title="Links"
      description="Use these links on your pages; every visit through them is tracked."
      {...(className ? { className } : {})}
      actions={
        <>
          <Button size="sm" variant="ghost" onClick={() => setMaking('many')}>
            <ListPlus aria-hidden className="size-3.5" />
            Bulk create
          </Button>
          <Button size="sm" onClick={() => setMaking('one')}>
            <Plus aria-hidden className="size-3.5" />
            Create link
          </Button>
        </>
      }
    >
      {links.error && !links.data ? (
        <ErrorBox error={links.error} prefix="Error loading links" onRetry={() => void links.refetch()} />
      ) : !links.data ? (
        <div role="status" aria-label="Loading Links">
          <Skeleton className="h-32" />
        </div>
      ) : rows.length === 0 ? (
        <Empty icon={<Link2 aria-hidden className="size-5" />} title="No links yet">
          Create your first tracked link to start counting clicks.
        </Empty>
      ) : (
        <ul
          className="-my-1 divide-y divide-line sm:max-h-96 sm:overflow-y-auto"
          role="list"
          aria-label="Tracked links"
          tabIndex={0}
        >
          {rows.map((link) => (
            <li key={link.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
              <div className="min-w-0 flex-1 basis-52">
                <p className="truncate font-medium">
                  {partnerName(link)}
                  {link.sub1 && <span className="font-normal text-muted"> · {link.sub1}</span>}
                </p>
                <p className="truncate text-[0.8125rem] text-muted" title={link.destination}>
                  {link.url}
                </p>
                <LinkBadges link={link} />
              </div>
              {link.clicks !== null && (
                <p className="text-right text-[0.8125rem] text-muted tabular">
                  {countOf(link.clicks, 'click')}
                  {link.earnings && <span className="block">{formatMinor(link.earnings)}</span>}
                </p>
              )}
              <LinkActions link={link} onOpen={setOpen} />
            </li>
          ))}
        </ul>
      )}
      {links.hasNextPage && (
        <Button
          size="sm"
          className="mt-3 self-start"
          busy={links.isFetchingNextPage}
          onClick={() => void links.fetchNextPage()}
        >
          Show more links
        </Button>
      )}
      {open && <LinkDialog open={open} onClose={() => setOpen(null)} />}
      {making === 'one' && <CreateLink websites={[website]} partners={partners} onClose={() => setMaking(null)} />}
      {making === 'many' && (
        <BulkCreate websites={[website]} partners={partners.data ?? []} onClose={() => setMaking(null)} />
      )}
    </Card>
  );
}
