import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { CopyField } from '@/components/ui/copy-field';
import type { ConnectedWebsite } from '@/lib/api/types';
import { aboutQuery } from '@/lib/api/setup-queries';
import { ConnectForm } from './connect-form';
import { FirstEvent } from './first-event';
import { snippet } from '../lib/snippet';

// The table of networks comes once there is something to show from it.
const PostbackUrl = lazy(() =>
  import('@/components/partners/postback-url').then((module) => ({ default: module.PostbackUrl })),
);

/** Onboarding from connecting a website to its first event. `next` is shown once the website is connected. */
export function ConnectWebsite({ next }: { readonly next: (website: ConnectedWebsite) => ReactNode }) {
  const [website, setWebsite] = useState<ConnectedWebsite | null>(null);
  return website ? <Connected website={website} next={next(website)} /> : <ConnectForm onConnected={setWebsite} />;
}

function Connected({ website, next }: { readonly website: ConnectedWebsite; readonly next: ReactNode }) {
  const about = useQuery(aboutQuery);
  return (
    <ol className="flex flex-col gap-7">
      <Step number={1} title={`Add this line to the pages of ${website.domain}`}>
        {about.data ? (
          <CopyField label="Snippet" value={snippet(about.data.trackingUrl, website.siteKey)} multiline />
        ) : about.error ? (
          <ErrorBox error={about.error} onRetry={() => void about.refetch()} />
        ) : (
          <Skeleton className="h-20" />
        )}
      </Step>
      <Step number={2} title="Save the keys for your server and your partners">
        <p className="mb-4 flex items-start gap-2 rounded-lg bg-warn-soft px-3 py-2.5 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          The secret key is shown only once. Copy it now.
        </p>
        <div className="grid grid-cols-1 gap-4">
          <CopyField label="Site key" value={website.siteKey} />
          <CopyField label="Secret key" value={website.secretKey} />
          <CopyField label="Postback token" value={website.postbackToken} />
          <Suspense fallback={<Skeleton className="h-44" />}>
            <PostbackUrl website={website} token={website.postbackToken} />
          </Suspense>
        </div>
      </Step>
      <Step number={3} title="Check that it works">
        {about.data && (
          <FirstEvent
            websiteId={website.id}
            domain={website.domain}
            trackingUrl={about.data.trackingUrl}
            siteKey={website.siteKey}
          />
        )}
        <div className="mt-4">{next}</div>
      </Step>
    </ol>
  );
}

function Step({
  number,
  title,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="min-w-0">
      <h3 className="mb-3 flex items-center gap-2.5 font-semibold">
        <span
          aria-hidden
          className="grid size-6 shrink-0 place-items-center rounded-full bg-brand-soft text-[0.8125rem] text-brand"
        >
          {number}
        </span>
        {title}
      </h3>
      <div className="min-w-0 sm:pl-8.5">{children}</div>
    </li>
  );
}
