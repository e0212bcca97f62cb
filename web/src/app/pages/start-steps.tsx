import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Skeleton } from '@/components/data/states';
import type { Website } from '@/lib/api/types';
import { userQuery } from '@/lib/shared-queries';
import { invitesQuery } from '@/features/account/queries';
import { LATEST } from '@/features/conversions/latest-conversions';
import { latestConversionsQuery } from '@/features/conversions/queries';
import { GettingStarted, type StartStep } from '@/features/dashboard/getting-started';
import { linksQuery } from '@/features/links/queries';
import { textLink } from './text-link';

interface Props {
  /** Undefined: none is connected yet. */
  readonly website: Website | undefined;
  /** Whether its figures tell of an event; undefined while they are being read. */
  readonly seen: boolean | undefined;
  /** What stands below them. */
  readonly children?: ReactNode;
}

/** Each step is worked out from what is stored, and shown only once all of that is known. What stands below is read
 *  meanwhile and shown with them: it would have to move. */
export function StartSteps({ website, seen, children }: Props) {
  const account = useQuery({ ...userQuery, staleTime: 0 });
  const invites = useQuery(invitesQuery);
  const links = useInfiniteQuery({ ...linksQuery(website?.id ?? ''), enabled: website !== undefined });
  const latest = useQuery({ ...latestConversionsQuery(website?.id ?? '', LATEST), enabled: website !== undefined });
  const waiting = [account, invites, ...(website ? [links, latest] : [])].some((query) => query.isPending) || seen === undefined;
  return (
    <>
      {waiting ? <Skeleton className="h-96" /> : <Steps website={website} seen={seen} account={account.data} invites={invites.data} links={links.data?.pages[0]?.data} latest={latest.data} />}
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
      title: 'Connect a website', text: website ? `${website.domain} is connected.` : 'One line of script.', done: website !== undefined,
      action: <Link to="/account-settings" search={{ tab: 'websites' }} className={textLink}>Connect one</Link>,
    },
    {
      title: 'Receive the first event', text: 'Put the snippet into your pages.', done: seen || Boolean(website?.firstEventAt),
      action: website && <Link to="/account-settings" search={{ tab: 'websites' }} className={textLink}>Show the snippet</Link>,
    },
    { title: 'Create a tracked link', text: 'Each use of it is a click.', done: (links?.length ?? 0) > 0 },
    {
      title: 'Turn on two-factor sign-in', text: 'A code beside your password keeps your money yours.', done: account.twoFactor,
      action: <Link to="/account-settings" search={{ tab: 'general' }} className={textLink}>Set it up</Link>,
    },
    {
      title: 'Invite somebody', text: 'Registration is by invite only.', done: invites.length > 0,
      action: <Link to="/account-settings" search={{ tab: 'invite-codes' }} className={textLink}>Make an invite code</Link>,
    },
    { title: 'Report the first conversion', text: 'By a partner’s postback or from your server.', done: (latest?.length ?? 0) > 0, action: <a href="/api/docs" className={textLink}>Read the API documentation</a> },
  ];
  return <GettingStarted steps={steps} />;
}
