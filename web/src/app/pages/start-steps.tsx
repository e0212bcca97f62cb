import { useQuery, type QueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { Skeleton } from '@/components/data/states';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { Website } from '@/lib/api/types';
import { dismiss, isDismissed } from './dismissed';
import { getSession, useSession } from '@/lib/session';
import { userQuery } from '@/lib/api/shared-queries';
import { invitesQuery } from '@/features/accounts/api/invite-codes';
import { LATEST } from '@/features/conversions/components/latest-conversions';
import { latestConversionsQuery } from '@/features/conversions/api/conversions';
import { GettingStarted, type StartStep } from '@/features/analytics/components/getting-started';
import { linksQuery } from '@/features/links/api/links';
import { textLink } from './text-link';

interface Props {
  /** Undefined: none is connected yet. */
  readonly website: Website | undefined;
  /** Whether the website has events; undefined while loading. */
  readonly seen: boolean | undefined;
  /** The content below the steps. */
  readonly children?: ReactNode;
}

const HINT = 'getting-started';
/** Reporters of conversions that are networks. */
const BY_NETWORKS = new Set(['postback', 'import']);

/** Fills the cache from the early reads. */
export const takeStepReads = (client: QueryClient, websiteId: string) =>
  Promise.all([
    client.ensureInfiniteQueryData(linksQuery(websiteId)),
    client.ensureQueryData(latestConversionsQuery(websiteId, LATEST)),
    ...(isDismissed(getSession()?.user.id ?? '', HINT)
      ? []
      : [client.ensureQueryData(userQuery), client.ensureQueryData(invitesQuery)]),
  ]);

/** The steps until they are dismissed or all done, and the content below them. */
export function StartSteps({ children, ...known }: Props) {
  const owner = useSession()?.user.id ?? '';
  const [dismissed, setDismissed] = useState(() => isDismissed(owner, HINT));
  if (dismissed) return children;
  return (
    <OpenSteps
      {...known}
      onDismiss={() => {
        dismiss(owner, HINT);
        setDismissed(true);
      }}
      onAllDone={() => dismiss(owner, HINT)}
    >
      {children}
    </OpenSteps>
  );
}

interface OpenProps extends Props {
  readonly onDismiss: () => void;
  readonly onAllDone: () => void;
}

/** Each step is derived from stored data, and shown only once all of it is loaded. The content below is loaded
 *  meanwhile and shown with them, so that it does not move. */
function OpenSteps({ website, seen, onDismiss, onAllDone, children }: OpenProps) {
  const account = useQuery(userQuery);
  const invites = useQuery(invitesQuery);
  const links = useCursorQuery({ ...linksQuery(website?.id ?? ''), enabled: website !== undefined });
  const latest = useQuery({ ...latestConversionsQuery(website?.id ?? '', LATEST), enabled: website !== undefined });
  const waiting =
    [account, invites, ...(website ? [links, latest] : [])].some((query) => query.isPending) || seen === undefined;
  return (
    <>
      {waiting ? (
        <Skeleton className="h-96" />
      ) : (
        <Steps
          website={website}
          seen={seen}
          account={account.data}
          invites={invites.data}
          links={links.first?.data}
          latest={latest.data}
          onDismiss={onDismiss}
          onAllDone={onAllDone}
        />
      )}
      <div className={waiting ? 'hidden' : 'contents'}>{children}</div>
    </>
  );
}

interface Known {
  readonly website: Website | undefined;
  readonly seen: boolean;
  readonly account: { readonly twoFactor: boolean } | undefined;
  readonly invites: readonly unknown[] | undefined;
  readonly links: readonly unknown[] | undefined;
  readonly latest: readonly { readonly reportedBy?: string }[] | undefined;
  readonly onDismiss: () => void;
  readonly onAllDone: () => void;
}

function Steps({ onDismiss, onAllDone, ...known }: Known) {
  const steps = stepsOf(known);
  const allDone = steps?.every((step) => step.done) ?? false;
  useEffect(() => {
    if (allDone) onAllDone(); // from the next visit on nothing is requested for them
  }, [allDone, onAllDone]);
  return steps && <GettingStarted steps={steps} onDismiss={onDismiss} />;
}

/** Null if something of it is not known. */
function stepsOf({
  website,
  seen,
  account,
  invites,
  links,
  latest,
}: Omit<Known, 'onDismiss' | 'onAllDone'>): readonly StartStep[] | null {
  if (!account || !invites || (website && (!links || !latest))) return null;
  return [
    {
      title: 'Connect a website',
      text: website ? `${website.domain} is connected.` : 'Add one line of code to your site.',
      done: website !== undefined, // until then the card above has the button
    },
    {
      title: 'Receive the first event',
      text: 'Add the snippet to your pages.',
      done: seen || Boolean(website?.firstEventAt),
      action: website && (
        <Link to="/account-settings" search={{ tab: 'websites' }} className={textLink}>
          Show the snippet
        </Link>
      ),
    },
    {
      title: 'Create a tracked link',
      text: 'Every visit through it is counted as a click. You can add partners of your own.',
      done: (links?.length ?? 0) > 0,
      action: website && (
        <Link to="/links/partners" className={textLink}>
          Add a partner
        </Link>
      ),
    },
    {
      title: 'Connect your networks',
      text: 'Connect Awin, CJ or impact.com, import reports, or give networks your postback URL.',
      done: latest?.some(({ reportedBy }) => BY_NETWORKS.has(reportedBy ?? '')) ?? false,
      action: website && (
        <Link to="/conversions/networks" className={textLink}>
          Connect or import
        </Link>
      ),
    },
    {
      title: 'Turn on two-factor sign-in',
      text: 'Add a second step at sign-in to protect your account.',
      done: account.twoFactor,
      action: (
        <Link to="/account-settings" search={{ tab: 'general' }} className={textLink}>
          Set it up
        </Link>
      ),
    },
    {
      title: 'Invite a colleague',
      text: 'Registration is by invite only.',
      done: invites.length > 0,
      action: (
        <Link to="/account-settings" search={{ tab: 'invite-codes' }} className={textLink}>
          Create an invite code
        </Link>
      ),
    },
    {
      title: 'Report the first conversion',
      text: 'Open a link and send a test conversion first.',
      done: (latest?.length ?? 0) > 0,
      action: (
        <Link to="/links" className={textLink}>
          Send a test conversion
        </Link>
      ),
    },
  ];
}
