import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CheckCircle2, LoaderCircle, Send } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { useLive } from '@/lib/api/live';
import { websitesQuery } from '@/lib/api/shared-queries';
import { arrivalQuery, testEvent, type Arrival } from '../api/keys';

const POLL_MS = 3000;
/** The live stream has it already: the reports follow within a second. */
const HURRIED_POLL_MS = 500;

interface Props {
  readonly websiteId: string;
  readonly domain: string;
  readonly trackingUrl: string;
  readonly siteKey: string;
}

/** Updates automatically when the first event arrives, and says so only once the reports show it. The live stream
 *  reports an event at once; what it excludes, bots and rejections, is in the counts of all outcomes. */
export function FirstEvent({ websiteId, domain, trackingUrl, siteKey }: Props) {
  const client = useQueryClient();
  const live = useLive(websiteId, (state) => state);
  const seen = (live.data?.recent.length ?? 0) > 0;
  const { data: polled = 'none' } = useQuery({
    ...arrivalQuery(websiteId),
    refetchInterval: (query) => (query.state.data === 'shown' ? false : seen ? HURRIED_POLL_MS : POLL_MS),
  });
  const arrival: Arrival = seen && polled !== 'shown' ? 'counted' : polled;
  const shown = arrival === 'shown';
  const test = useCommand(testEvent(trackingUrl, siteKey, domain));
  useEffect(() => {
    // The pages that were read before the event was there read again.
    if (shown) void client.invalidateQueries({ queryKey: websitesQuery.queryKey });
  }, [client, shown]);
  const [title, text] = words(arrival, domain);
  return (
    <div role="status" aria-live="polite" className="rounded-lg border border-line bg-sunken/60 p-4">
      <p className="flex items-center gap-2.5 font-semibold">
        {shown ? (
          <CheckCircle2 aria-hidden className="size-5 text-good" />
        ) : (
          <LoaderCircle aria-hidden className="size-5 animate-spin text-brand" />
        )}
        {title}
      </p>
      <p className="mt-1 text-muted">{text}</p>
      {arrival !== 'shown' && arrival !== 'counted' && (
        <Button size="sm" className="mt-3" busy={test.isPending} onClick={() => test.mutate()}>
          <Send aria-hidden className="size-3.5" />
          Send a test event
        </Button>
      )}
    </div>
  );
}

function words(arrival: Arrival, domain: string): readonly [string, string] {
  switch (arrival) {
    case 'none':
      return [
        'Waiting for the first event',
        `Open a page of ${domain} that has the script, or send a test event. This page updates automatically.`,
      ];
    case 'rejected':
      return [
        'An event was rejected',
        `It came from a page that may not use this key, or could not be read: Event delivery in Analytics says why.`,
      ];
    case 'bot':
      return [
        'An event of a bot has arrived',
        `Reports exclude bots and automated browsers. Open a page of ${domain} in your own browser.`,
      ];
    case 'counted':
      return ['The first event has arrived', 'It is being added to your reports...'];
    case 'shown':
      return [
        'The first event has arrived',
        `${domain} is connected, and Analytics shows the event. New ones follow within a second.`,
      ];
  }
}
