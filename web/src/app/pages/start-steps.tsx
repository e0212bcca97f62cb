import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Skeleton } from '@/components/data/states';
import type { Website } from '@/lib/api/types';
import { userQuery } from '@/lib/shared-queries';
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

/** Each step is derived from stored data, and shown only once all of it is loaded. The content below is loaded
 *  meanwhile and shown with them, so that it does not move. */
export function StartSteps({ website, seen, children }: Props) {
  const account = useQuery({ ...userQuery, staleTime: 0 });
  const invites = useQuery(invitesQuery);
  const links = useInfiniteQuery({ ...linksQuery(website?.id ?? ''), enabled: website !== undefined });
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
          links={links.data?.pages[0]?.data}
          latest={latest.data}
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
  readonly latest: readonly unknown[] | undefined;
}

function Steps({ website, seen, account, invites, links, latest }: Known) {
  if (!account || !invites || (website && (!links || !latest))) return null;
  const steps: readonly StartStep[] = [
    {
      title: 'Connect a website',
      text: website ? `${website.domain} is connected.` : 'Add one line of code to your site.',
      done: website !== undefined,
      action: (
        <Link to="/account-settings" search={{ tab: 'websites' }} className={textLink}>
          Connect one
        </Link>
      ),
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
      text: 'Every visit through it is counted as a click.',
      done: (links?.length ?? 0) > 0,
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
      text: 'Use a partner’s postback or your server.',
      done: (latest?.length ?? 0) > 0,
      action: (
        <a href="/api/docs" className={textLink}>
          Read the API documentation
        </a>
      ),
    },
  ];
  return <GettingStarted steps={steps} />;
}
