import { Download } from 'lucide-react';
import { useState } from 'react';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Select } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import {
  removeSubscriber,
  siteSubscribersQuery,
  subscribersFile,
  type SiteSubscriber,
  type SubscriberState,
} from '../api/subscribers';
import type { Site } from '../lib/types';

/** Addresses from the newsletter forms of the site. The CSV contains confirmed ones with the unsubscribe link that each email must include. */
export function SubscribersPanel({ site }: { readonly site: Site }) {
  const [state, setState] = useState<SubscriberState | undefined>();
  const [removing, setRemoving] = useState<SiteSubscriber | null>(null);
  const subscribers = useCursorQuery(siteSubscribersQuery(site.id, state));
  const remove = useCommand(removeSubscriber(site.id));
  const zone = browserTimezone();
  const columns: Column<SiteSubscriber>[] = [
    {
      id: 'email',
      header: 'Email',
      className: 'min-w-52 [overflow-wrap:anywhere]',
      cell: (row) => <span className="font-medium">{row.email}</span>,
    },
    {
      id: 'state',
      header: 'Status',
      cell: (row) =>
        row.state === 'confirmed' ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">Not yet confirmed</Badge>,
    },
    {
      id: 'page',
      header: 'Page',
      cell: (row) => row.page,
      className: 'min-w-28 max-w-44 [overflow-wrap:anywhere]',
    },
    {
      id: 'requested',
      header: 'Requested',
      cell: (row) => formatZoned(row.requestedAt, zone),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'confirmed',
      header: 'Confirmed',
      cell: (row) => (row.confirmedAt ? formatZoned(row.confirmedAt, zone) : '–'),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end">
          <Button size="sm" aria-label={`Remove ${row.email}`} onClick={() => setRemoving(row)}>
            Remove
          </Button>
        </div>
      ),
    },
  ];
  return (
    <Card
      title="Subscribers"
      description="From the site's newsletter forms, newest first. The CSV contains all confirmed subscribers with the unsubscribe link to include in every email."
      actions={
        <>
          <Select
            label="Status"
            value={state ?? ''}
            onChange={({ target }) =>
              setState(target.value === 'confirmed' || target.value === 'pending' ? target.value : undefined)
            }
          >
            <option value="">All</option>
            <option value="confirmed">Confirmed</option>
            <option value="pending">Not yet confirmed</option>
          </Select>
          <a href={subscribersFile(site.id)} download={`${site.slug}-subscribers.csv`} className={buttonClass()}>
            <Download aria-hidden className="size-4" />
            Export CSV
          </a>
        </>
      }
    >
      <PagedTable
        caption="Subscribers of the site"
        query={subscribers}
        columns={columns}
        rowKey={(row) => row.id}
        none={
          state ? 'No subscribers match.' : 'No subscribers yet. Add a newsletter form to a page and publish the site.'
        }
      />
      {removing && (
        <ConfirmDialog
          title={`Remove ${removing.email}?`}
          description="The address is deleted. Only its owner can subscribe it again."
          action="Remove"
          onClose={() => setRemoving(null)}
          onConfirm={() => remove.mutate(removing.id)}
        />
      )}
    </Card>
  );
}
