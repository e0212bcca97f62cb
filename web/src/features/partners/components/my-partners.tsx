import { useQuery } from '@tanstack/react-query';
import { Handshake, Pencil, Plus, Power, Share, Trash2, Webhook } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { NewPartner } from '@/components/partners/new-partner';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useCommand } from '@/lib/api/command';
import type { Partner, Website } from '@/lib/api/types';
import { networkOf } from '@/lib/networks/postback';
import { partnersQuery } from '@/lib/api/shared-queries';
import { updateOwnPartner, removeOwnPartner } from '../api/partners';
import { Action } from './action';
import { EditPartner } from './dialogs';
import { PartnerName } from './partner-name';
import { requestPartner, requestsQuery } from '../api/requests';

const PostbackDialog = lazy(() =>
  import('@/components/partners/postback-url').then((module) => ({ default: module.PostbackDialog })),
);

type Open = { readonly what: 'edit' | 'remove' | 'postback'; readonly id: string };

/** The partners that the member added. `website`: whose postback URLs are shown; without one there are none. */
export function MyPartners({ website }: { readonly website: Website | undefined }) {
  const partners = useQuery(partnersQuery);
  const requests = useQuery(requestsQuery);
  const update = useCommand(updateOwnPartner);
  const remove = useCommand(removeOwnPartner);
  const request = useCommand(requestPartner);
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const rows = partners.data?.filter((partner) => partner.isPrivate) ?? [];
  const chosen = rows.find((partner) => partner.id === open?.id);
  const close = () => setOpen(null);
  const isProposed = (partner: Partner) =>
    requests.data?.some((item) => item.proposedId === partner.id && item.state !== 'declined') ?? true;
  const columns: readonly Column<Partner>[] = [
    { id: 'name', header: 'Name', cell: (row) => <PartnerName partner={row} /> },
    { id: 'commission', header: 'Commission', cell: (row) => row.terms.text },
    {
      id: 'network',
      header: 'Network',
      cell: (row) => (
        <>
          <span className="block">{networkOf(row.postbackPreset)?.label}</span>
          <span className="block text-[0.8125rem] text-muted">
            {row.clickIdParameter ? `Click ID as ${row.clickIdParameter}` : 'Can’t pass a click ID'}
          </span>
        </>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      cell: (row) => <Badge tone={row.isActive ? 'good' : 'neutral'}>{row.isActive ? 'Active' : 'Inactive'}</Badge>,
    },
    {
      id: 'actions',
      header: 'Actions',
      cell: (row) => (
        <div className="flex gap-1">
          <Action label={`Edit ${row.name}`} Icon={Pencil} onClick={() => setOpen({ what: 'edit', id: row.id })} />
          {website && row.isActive && (
            <Action
              label={`Postback URL of ${row.name}`}
              Icon={Webhook}
              onClick={() => setOpen({ what: 'postback', id: row.id })}
            />
          )}
          {!isProposed(row) && (
            <Action
              label={`Propose ${row.name} for the directory`}
              Icon={Share}
              onClick={() => request.mutate({ name: row.name, website: row.baseUrl, partnerId: row.id })}
            />
          )}
          <Action
            label={`${row.isActive ? 'Deactivate' : 'Activate'} ${row.name}`}
            Icon={Power}
            onClick={() => update.mutate({ partner: row, changes: { isActive: !row.isActive } })}
          />
          <Action label={`Remove ${row.name}`} Icon={Trash2} onClick={() => setOpen({ what: 'remove', id: row.id })} />
        </div>
      ),
    },
  ];
  return (
    <Card
      title="My partners"
      description="Affiliate programs that only you can see and use"
      actions={
        <Button size="sm" variant="primary" disabled={adding} onClick={() => setAdding(true)}>
          <Plus aria-hidden className="size-3.5" />
          Add a partner
        </Button>
      }
    >
      {adding && (
        <div className="mb-4">
          <NewPartner onAdded={() => setAdding(false)} onCancel={() => setAdding(false)} />
        </div>
      )}
      {partners.error && !partners.data ? (
        <ErrorBox error={partners.error} prefix="Error loading partners" onRetry={() => void partners.refetch()} />
      ) : !partners.data ? (
        <Loading label="Loading partners" />
      ) : rows.length === 0 ? (
        <Empty icon={<Handshake aria-hidden className="size-5" />} title="No private partners yet">
          Add a program that is not in the directory, then create links to it.
        </Empty>
      ) : (
        <Rows caption="List of my partners" columns={columns} rows={rows} rowKey={(row) => row.id} />
      )}
      {chosen && open?.what === 'edit' && (
        <EditPartner key={chosen.id} partner={chosen} update={update} onClose={close} />
      )}
      {chosen && website && open?.what === 'postback' && (
        <Suspense fallback={null}>
          <PostbackDialog website={website} partnerId={chosen.id} onClose={close} />
        </Suspense>
      )}
      {chosen && open?.what === 'remove' && (
        <ConfirmDialog
          title={`Remove ${chosen.name}?`}
          description="Its links stop working. History is kept, and earned commissions stay payable."
          action="Remove partner"
          onConfirm={() => remove.mutate(chosen)}
          onClose={close}
        />
      )}
    </Card>
  );
}
