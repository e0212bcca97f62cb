import { useQuery } from '@tanstack/react-query';
import { CheckCircle2, LoaderCircle, Send } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { useLive } from '@/lib/api/live';
import { arrivedQuery, testEvent } from '../api/keys';

const POLL_MS = 3000;

interface Props {
  readonly websiteId: string;
  readonly domain: string;
  readonly trackingUrl: string;
  readonly siteKey: string;
}

/** Updates automatically when the first event arrives. The live stream reports it at once; the count of all outcomes is
 *  requested as well, because the stream excludes bots, and automated browsers count as bots. */
export function FirstEvent({ websiteId, domain, trackingUrl, siteKey }: Props) {
  const live = useLive(websiteId, (state) => state);
  const seen = (live.data?.recent.length ?? 0) > 0;
  const polled = useQuery({
    ...arrivedQuery(websiteId),
    enabled: !seen,
    refetchInterval: (query) => (query.state.data ? false : POLL_MS),
  });
  const arrived = seen || polled.data === true;
  const test = useCommand(testEvent(trackingUrl, siteKey, domain));
  return (
    <div role="status" aria-live="polite" className="rounded-lg border border-line bg-sunken/60 p-4">
      <p className="flex items-center gap-2.5 font-semibold">
        {arrived ? (
          <CheckCircle2 aria-hidden className="size-5 text-good" />
        ) : (
          <LoaderCircle aria-hidden className="size-5 animate-spin text-brand" />
        )}
        {arrived ? 'The first event has arrived' : 'Waiting for the first event'}
      </p>
      <p className="mt-1 text-muted">
        {arrived
          ? `${domain} is connected. New events show on the dashboard within a second.`
          : `Open a page of ${domain} that has the script, or send a test event. This page updates automatically.`}
      </p>
      {!arrived && (
        <Button size="sm" className="mt-3" busy={test.isPending} onClick={() => test.mutate()}>
          <Send aria-hidden className="size-3.5" />
          Send a test event
        </Button>
      )}
    </div>
  );
}
