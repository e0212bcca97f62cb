import { useQuery } from '@tanstack/react-query';
import { Link2, Plus, Webhook } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { Link, Website } from '@/lib/api/types';
import { countOf, formatMinor } from '@/lib/format';
import { partnersQuery } from '@/lib/api/shared-queries';
import { useCommands } from '@/stores/commands';
import { LinkActions, LinkBadges, LinkDialog, type OpenLink } from './link-actions';
import { CreateLink, PostbackDialog } from './dialogs';
import { linksQuery } from '../api/links';

interface Props {
  readonly website: Website;
  /** Leads to all links. */
  readonly more: ReactNode;
}

const SHOWN = 5;

/** The newest links of a website, with figures of the last 30 days. */
export function LinksCard({ website, more }: Props) {
  const links = useCursorQuery(linksQuery(website.id));
  const rows = links.first?.data.slice(0, SHOWN) ?? [];
  const partners = useQuery(partnersQuery);
  const [making, setMaking] = useState(false);
  const [open, setOpen] = useState<OpenLink | null>(null);
  const [postback, setPostback] = useState(false);
  useCommands([{ id: 'create-link', title: 'Create link', group: 'Actions', keys: 'c', run: () => setMaking(true) }]);
  const partnerName = (link: Link) =>
    link.partnerName ?? partners.data?.find((partner) => partner.id === link.partnerId)?.name ?? 'Partner';
  return (
    <Card
      title="Links"
      description="Newest links, with clicks and revenue of the last 30 days"
      actions={
        <>
          {more}
          <Button size="sm" variant="ghost" onClick={() => setPostback(true)}>
            <Webhook aria-hidden className="size-3.5" />
            Postback URL
          </Button>
          <Button size="sm" onClick={() => setMaking(true)}>
            <Plus aria-hidden className="size-3.5" />
            Create link
          </Button>
        </>
      }
    >
      {links.error ? (
        <ErrorBox error={links.error} prefix="Error loading links" onRetry={links.retry} />
      ) : !links.rows ? (
        <div role="status" aria-label="Loading Links">
          <Skeleton className="h-32" />
        </div>
      ) : rows.length === 0 ? (
        <Empty icon={<Link2 aria-hidden className="size-5" />} title="No links yet">
          Create your first tracked link to start counting clicks.
        </Empty>
      ) : (
        <ul className="-my-1 divide-y divide-line" role="list" aria-label="Tracked links">
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
      {postback && <PostbackDialog website={website} onClose={() => setPostback(false)} />}
      {open && <LinkDialog open={open} onClose={() => setOpen(null)} />}
      {making && <CreateLink websites={[website]} partners={partners} onClose={() => setMaking(false)} />}
    </Card>
  );
}
