import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, RefreshCw, Unplug } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { opened } from '@/components/data/opened';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { Partner, Website } from '@/lib/api/types';
import { browserTimezone, formatDateTime } from '@/lib/dates';
import { useFromNow } from '@/lib/dates/now';
import { countOf } from '@/lib/format';
import { networkOf } from '@/lib/networks/postback';
import { connectionsQuery, disconnectNetwork, pullNow, type NetworkConnection } from '../api/connections';
import { CONNECTION_STATES, connectionStateOf } from '../lib/connection-states';

const ConnectDialog = opened(() => import('./connect-dialog').then((module) => module.ConnectDialog));
const ReconnectDialog = opened(() => import('./connect-dialog').then((module) => module.ReconnectDialog));
const ConfirmDialog = opened(() => import('@/components/ui/confirm-dialog').then((module) => module.ConfirmDialog));

interface Props {
  readonly website: Pick<Website, 'id' | 'domain' | 'currency'>;
  readonly partners: readonly Pick<Partner, 'id' | 'name'>[];
}

type Asked = { readonly kind: 'change' | 'disconnect'; readonly of: NetworkConnection };

const labelOf = ({ network }: NetworkConnection): string => networkOf(network)?.label ?? network;

/** Networks whose reports are read by schedule: how each goes, and what may be done with it. */
export function ConnectionsCard({ website, partners }: Props) {
  const query = useCursorQuery(connectionsQuery(website.id));
  const disconnect = useCommand(disconnectNetwork);
  const [isConnecting, setConnecting] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  useNewImports(query.rows);
  return (
    <Card
      title="Connected networks"
      description="Reports of Awin, CJ and impact.com are read and imported automatically."
      actions={
        <Button variant="primary" onClick={() => setConnecting(true)}>
          Connect a network
        </Button>
      }
    >
      <PagedTable
        caption="Connected networks table"
        query={query}
        columns={[
          ...COLUMNS,
          {
            id: 'actions',
            header: <span className="sr-only">Actions</span>,
            cell: (row) => <Actions of={row} onAsk={(kind) => setAsked({ kind, of: row })} />,
          },
        ]}
        rowKey={(row) => row.id}
        none="No network connected yet. Connect one, or upload its report files."
      />
      {isConnecting && <ConnectDialog website={website} partners={partners} onClose={() => setConnecting(false)} />}
      {asked?.kind === 'change' && <ReconnectDialog connection={asked.of} onClose={() => setAsked(null)} />}
      {asked?.kind === 'disconnect' && (
        <ConfirmDialog
          title={`Disconnect ${labelOf(asked.of)}?`}
          description="Its reports are no longer read, and its credentials are deleted. Imported sales stay."
          action="Disconnect"
          onConfirm={() => disconnect.mutate(asked.of)}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

/** The list of imports is read again when a pull brought a new one. */
function useNewImports(rows: readonly NetworkConnection[] | undefined) {
  const client = useQueryClient();
  const found = rows?.map(({ importId }) => importId ?? '').join();
  const before = useRef(found);
  useEffect(() => {
    if (before.current !== undefined && found !== before.current)
      void client.invalidateQueries({ queryKey: ['network-imports', 'list'] });
    before.current = found;
  }, [client, found]);
}

const SCHEDULES: Readonly<Record<NetworkConnection['schedule'], string>> = { hourly: 'Every hour', daily: 'Every day' };

const COLUMNS: readonly Column<NetworkConnection>[] = [
  { id: 'network', header: 'Network', cell: (row) => <span className="font-medium">{labelOf(row)}</span> },
  { id: 'state', header: 'Status', cell: (row) => <State of={row} />, className: 'max-w-80' },
  { id: 'schedule', header: 'Schedule', cell: (row) => SCHEDULES[row.schedule], className: 'whitespace-nowrap' },
  { id: 'last', header: 'Last read', cell: (row) => <LastPull of={row} /> },
  {
    id: 'next',
    header: 'Next read',
    cell: ({ nextAt }) => (nextAt ? <Due at={nextAt} /> : '–'),
    className: 'whitespace-nowrap',
  },
];

function State({ of }: { readonly of: NetworkConnection }) {
  const { label, tone } = CONNECTION_STATES[useFromNow((now) => connectionStateOf(of, now))];
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {of.problem && <p className="mt-1 text-[0.8125rem] text-muted wrap-anywhere">{of.problem}</p>}
    </>
  );
}

function Due({ at }: { readonly at: string }) {
  const isDue = useFromNow((now) => (Date.parse(at) <= now ? 'yes' : 'no')) === 'yes';
  return isDue ? 'Now' : <time dateTime={at}>{formatDateTime(at, browserTimezone())}</time>;
}

function LastPull({ of: { pulledAt, rows, importId, websiteId } }: { readonly of: NetworkConnection }) {
  if (pulledAt === null) return 'Not yet';
  return (
    <>
      <When at={pulledAt} />
      <p className="text-[0.8125rem] text-muted">
        {importId === null ? (
          countOf(rows, 'row')
        ) : (
          <Link
            to="/conversions/networks/$id"
            params={{ id: importId }}
            search={{ website: websiteId }}
            className="text-brand hover:underline"
          >
            Last import
          </Link>
        )}
      </p>
    </>
  );
}

function Actions({ of, onAsk }: { readonly of: NetworkConnection; readonly onAsk: (kind: Asked['kind']) => void }) {
  const pull = useCommand(pullNow);
  const isReading = useFromNow((now) => connectionStateOf(of, now)) === 'reading';
  const name = labelOf(of);
  return (
    <div className="flex justify-end gap-1">
      {!of.isRefused && (
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Read ${name} now`}
          busy={pull.isPending}
          disabled={isReading}
          onClick={() => pull.mutate(of)}
        >
          <RefreshCw aria-hidden className="size-4" />
        </Button>
      )}
      <Button variant="ghost" size="icon" aria-label={`Change ${name}`} onClick={() => onAsk('change')}>
        <Pencil aria-hidden className="size-4" />
      </Button>
      <Button variant="ghost" size="icon" aria-label={`Disconnect ${name}`} onClick={() => onAsk('disconnect')}>
        <Unplug aria-hidden className="size-4" />
      </Button>
    </div>
  );
}
