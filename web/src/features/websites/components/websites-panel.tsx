import { useQuery } from '@tanstack/react-query';
import { Download, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { CopyField } from '@/components/ui/copy-field';
import { Select } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Website } from '@/lib/api/types';
import { timezones } from '@/lib/dates';
import { aboutQuery, keysQuery } from '@/lib/api/setup-queries';
import { websitesQuery } from '@/lib/api/shared-queries';
import { changeTimezone, exportFile, removeWebsite } from '../api/websites';
import { ClaimLimits } from './claim-limits';
import { Keys } from './keys';
import { AdClickIdSettings } from './ad-click-id-settings';
import { LinkSettings } from './link-settings';
import { RetentionSettings } from './retention-settings';
import { TxidSettings } from './txid-settings';
import { VisitorData } from './visitor-data';
import { snippet } from '../lib/snippet';

// The forms library comes with the first use of the form.
const ConnectWebsite = lazy(() => import('./connect-website').then((module) => ({ default: module.ConnectWebsite })));

/** Websites of the account: connect, snippet, keys, time zone, remove. */
export function WebsitesPanel({ next }: Pick<ConnectProps, 'next'>) {
  const websites = useQuery(websitesQuery);
  const failed = websites.error && <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />;
  if (!websites.data) return failed ?? <Loading label="Loading websites" />;
  return (
    <div className="flex flex-col gap-5">
      {failed}
      <Connect first={websites.data.length === 0} next={next} />
      {websites.data.map((website) => (
        <WebsiteCard key={website.id} website={website} />
      ))}
    </div>
  );
}

interface ConnectProps {
  /** There is no website yet: the form stands open. */
  readonly first: boolean;
  /** Shown below what is to be done for a website that was just connected. */
  readonly next: (websiteId: string) => ReactNode;
}

function Connect({ first, next }: ConnectProps) {
  // It stays open after the first website is there: it shows that website's keys then.
  const [connecting, setConnecting] = useState(first);
  return connecting ? (
    <Card title="Connect a website" description="Add one line of code to your site to count its page views and clicks.">
      <Suspense fallback={<Loading label="Loading the form" />}>
        <ConnectWebsite next={(website) => next(website.id)} />
      </Suspense>
    </Card>
  ) : (
    <Button variant="primary" className="self-start" onClick={() => setConnecting(true)}>
      <Plus aria-hidden className="size-4" />
      Connect Website
    </Button>
  );
}

function WebsiteCard({ website }: { readonly website: Website }) {
  const [removing, setRemoving] = useState(false);
  const about = useQuery(aboutQuery);
  const keys = useQuery(keysQuery(website.id));
  const siteKey = keys.data?.find((key) => key.kind === 'site' && !key.revokedAt)?.key;
  const move = useCommand(changeTimezone(website.id));
  const remove = useCommand(removeWebsite);
  const zones = timezones();
  return (
    <Card
      title={website.domain}
      description={`Currency: ${website.currency}`}
      actions={
        <>
          <Select
            label={`Time zone of ${website.domain}`}
            className="h-8 text-[0.8125rem]"
            value={website.timezone}
            disabled={move.isPending}
            onChange={(event) => move.mutate(event.target.value)}
          >
            {(zones.includes(website.timezone) ? zones : [website.timezone, ...zones]).map((zone) => (
              <option key={zone} value={zone}>
                {zone}
              </option>
            ))}
          </Select>
          <a
            className={buttonClass({ size: 'sm' })}
            href={exportFile(website.id)}
            download
            aria-label={`Export everything of ${website.domain}`}
            title="Links, events, conversions, payouts and settings in one zip. Cancel the download to stop."
          >
            <Download aria-hidden className="size-3.5" />
            Export everything
          </a>
          <Button
            size="sm"
            aria-label={`Remove ${website.domain}`}
            disabled={remove.isPending}
            onClick={() => setRemoving(true)}
          >
            <Trash2 aria-hidden className="size-3.5" />
            Remove
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {about.data && siteKey && (
          <CopyField label="Snippet" value={snippet(about.data.trackingUrl, siteKey)} multiline />
        )}
        <Keys website={website} />
        <LinkSettings website={website} />
        <TxidSettings website={website} />
        <AdClickIdSettings website={website} />
        <ClaimLimits website={website} />
        <VisitorData website={website} />
        <RetentionSettings website={website} />
      </div>
      {removing && (
        <ConfirmDialog
          title={`Remove ${website.domain}?`}
          description="Its keys stop working and its reports are no longer shown."
          action="Remove website"
          onConfirm={() => remove.mutate(website.id)}
          onClose={() => setRemoving(false)}
        />
      )}
    </Card>
  );
}
