import { useQuery } from '@tanstack/react-query';
import { Plug, RefreshCw, Unplug } from 'lucide-react';
import { useState } from 'react';
import { When } from '@/components/data/when';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useCommand } from '@/lib/api/command';
import type { SocialChannel, SocialConnection } from '@/lib/api/types';
import { countOf, formatCount } from '@/lib/format';
import { connectionsQuery, disconnectChannel, readChannelNow, startConnection } from '../api/connections';
import { NETWORKS } from '../lib/networks';

interface Props {
  readonly websiteId: string;
  readonly channels: readonly SocialChannel[];
}

/** Connects channels to their networks. Nothing where the installation is not set up for it. */
export function ConnectionsCard({ websiteId, channels }: Props) {
  const { data } = useQuery(connectionsQuery(websiteId));
  const shown = channels.filter((channel) => data?.networks.includes(channel.network));
  if (!data || shown.length === 0) return null;
  return (
    <Card title="Connections" description="Followers, views and posts of connected channels, read once a day">
      <ul className="flex flex-col divide-y divide-line">
        {shown.map((channel) => (
          <Connection
            key={channel.id}
            channel={channel}
            connection={data.connections.find((item) => item.channelId === channel.id)}
          />
        ))}
      </ul>
    </Card>
  );
}

function Connection({
  channel,
  connection,
}: {
  readonly channel: SocialChannel;
  readonly connection: SocialConnection | undefined;
}) {
  const [asks, setAsks] = useState(false);
  const network = NETWORKS[channel.network].label;
  const start = useCommand(startConnection(network), { onSuccess: ({ url }) => window.location.assign(url) });
  const read = useCommand(readChannelNow);
  const disconnect = useCommand(disconnectChannel);
  const isConnected = connection !== undefined && !connection.hasEnded;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">
          {channel.name} <span className="font-normal text-muted">{network}</span>
        </p>
        <Status connection={connection} />
      </div>
      <div className="flex flex-wrap gap-1">
        {isConnected ? (
          <Button
            size="sm"
            busy={read.isPending}
            aria-label={`Read now: ${channel.name}`}
            onClick={() => read.mutate(channel.id)}
          >
            <RefreshCw aria-hidden className="size-3.5" />
            Read now
          </Button>
        ) : (
          <Button
            size="sm"
            busy={start.isPending}
            aria-label={`Connect ${channel.name}`}
            onClick={() => start.mutate(channel.id)}
          >
            <Plug aria-hidden className="size-3.5" />
            {connection ? 'Connect again' : 'Connect'}
          </Button>
        )}
        {connection && (
          <Button size="sm" variant="ghost" aria-label={`Disconnect ${channel.name}`} onClick={() => setAsks(true)}>
            <Unplug aria-hidden className="size-3.5" />
            Disconnect
          </Button>
        )}
      </div>
      {asks && (
        <ConfirmDialog
          title={`Disconnect ${channel.name}?`}
          description="Its numbers are no longer read. Earlier ones stay."
          action="Disconnect"
          onConfirm={() => disconnect.mutate(channel.id)}
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  );
}

function Status({ connection }: { readonly connection: SocialConnection | undefined }) {
  if (!connection) return <p className="text-[0.8125rem] text-muted">Not connected</p>;
  if (connection.hasEnded) return <p className="text-[0.8125rem] text-bad">Connection ended: connect again</p>;
  const counts = [
    connection.followers !== null && countOf(connection.followers, 'follower'),
    connection.posts !== null && countOf(connection.posts, 'post'),
    connection.views !== null && `${formatCount(connection.views)} views`,
  ].filter(Boolean);
  return (
    <div className="text-[0.8125rem] text-muted">
      <p className="wrap-anywhere">{[`Connected as ${connection.name}`, ...counts].join(' · ')}</p>
      {connection.problem && <p className="text-bad">Last reading failed: {connection.problem}</p>}
      <p>
        {connection.succeededAt ? (
          <>
            Last read <When at={connection.succeededAt} />
          </>
        ) : (
          'Not read yet'
        )}
        {connection.nextAt && (
          <>
            {' '}
            · next reading <When at={connection.nextAt} />
          </>
        )}
      </p>
    </div>
  );
}
