import { Link } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { opened } from '@/components/data/opened';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import type { CursorList } from '@/lib/api/cursor-query';
import type { Website } from '@/lib/api/types';
import { removeDestination, type Destination } from '../api/destinations';
import { labelOf } from '../lib/platforms';
import { destinationState } from '../lib/states';

const AddDialog = opened(() => import('./destination-dialogs').then((module) => module.AddDialog));
const ChangeDialog = opened(() => import('./destination-dialogs').then((module) => module.ChangeDialog));
const ConfirmDialog = opened(() => import('@/components/ui/confirm-dialog').then((module) => module.ConfirmDialog));

interface Props {
  readonly website: Pick<Website, 'id' | 'domain'>;
  readonly query: CursorList<Destination>;
  /** The one whose deliveries are shown. */
  readonly shown: string | undefined;
}

type Asked = { readonly kind: 'change' | 'remove'; readonly of: Destination };

/** Ad platforms that get the website's conversions: how each stands, and what may be done with it. */
export function DestinationsCard({ website, query, shown }: Props) {
  const remove = useCommand(removeDestination);
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <Card
      title="Connected ad platforms"
      description="Conversions that you approve are sent to the platform whose ad began the visit. Select one to see its deliveries."
      actions={
        <Button variant="primary" onClick={() => setAdding(true)}>
          Add an ad platform
        </Button>
      }
    >
      <PagedTable
        caption="Ad platforms table"
        query={query}
        columns={[
          { id: 'platform', header: 'Platform', cell: (row) => <Platform of={row} isShown={row.id === shown} /> },
          ...COLUMNS,
          {
            id: 'actions',
            header: <span className="sr-only">Actions</span>,
            cell: (row) => <Actions of={row} onAsk={(kind) => setAsked({ kind, of: row })} />,
          },
        ]}
        rowKey={(row) => row.id}
        none="No ad platform yet. Nothing is sent until you add one."
      />
      {isAdding && <AddDialog website={website} onClose={() => setAdding(false)} />}
      {asked?.kind === 'change' && <ChangeDialog destination={asked.of} onClose={() => setAsked(null)} />}
      {asked?.kind === 'remove' && (
        <ConfirmDialog
          title={`Remove ${labelOf(asked.of)}?`}
          description="Nothing more is sent. Its credentials and the log of its deliveries are deleted. The platform keeps what was sent."
          action="Remove"
          onConfirm={() => remove.mutate(asked.of)}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

const COLUMNS: readonly Column<Destination>[] = [
  { id: 'state', header: 'Status', cell: (row) => <State of={row} />, className: 'max-w-80' },
  {
    id: 'way',
    header: 'Sent by',
    cell: (row) => (row.isAutomatic ? 'API' : 'File upload'),
    className: 'whitespace-nowrap',
  },
  { id: 'sales', header: 'Sales as', cell: ({ mapping }) => <Name text={mapping.sale} />, className: 'max-w-56' },
  { id: 'leads', header: 'Leads as', cell: ({ mapping }) => <Name text={mapping.lead} />, className: 'max-w-56' },
  { id: 'value', header: 'Value', cell: ({ mapping }) => (mapping.value === 'sale' ? 'Sale amount' : 'Commission') },
  { id: 'added', header: 'Added', cell: (row) => <When at={row.addedAt} /> },
];

function Platform({ of, isShown }: { readonly of: Destination; readonly isShown: boolean }) {
  return (
    <Link
      to="/conversions/ad-platforms"
      search={{ website: of.websiteId, destination: of.id }}
      aria-current={isShown ? 'true' : undefined}
      className="font-medium whitespace-nowrap text-brand hover:underline"
    >
      {labelOf(of)}
    </Link>
  );
}

const Name = ({ text }: { readonly text: string }) =>
  text ? <span className="block truncate">{text}</span> : <span className="text-muted">Not sent</span>;

function State({ of }: { readonly of: Destination }) {
  const { label, tone } = destinationState(of);
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {of.problem && <p className="mt-1 text-[0.8125rem] text-muted wrap-anywhere">{of.problem}</p>}
    </>
  );
}

function Actions({ of, onAsk }: { readonly of: Destination; readonly onAsk: (kind: Asked['kind']) => void }) {
  const name = labelOf(of);
  return (
    <div className="flex justify-end gap-1">
      <Button variant="ghost" size="icon" aria-label={`Change ${name}`} onClick={() => onAsk('change')}>
        <Pencil aria-hidden className="size-4" />
      </Button>
      <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} onClick={() => onAsk('remove')}>
        <Trash2 aria-hidden className="size-4" />
      </Button>
    </div>
  );
}
