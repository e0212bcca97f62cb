import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { CompleteConnection } from '@/features/social/components/complete-connection';
import { textOf } from '@/lib/url/search';
import { Page } from './page';

const CANCELLED = new Error('The channel was not connected. You can try again at any time.');

/** The page that a social network redirects to, with a code or an error. The address loses them immediately. */
export function ConnectChannelPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/links/channels/connect' });
  const [{ state, code }] = useState({ state: textOf(search['state']), code: textOf(search['code']) });
  useEffect(() => {
    if (Object.keys(search).length > 0) void navigate({ to: '/links/channels/connect', search: {}, replace: true });
  }, [search, navigate]);
  return (
    <Page
      title="Connect channel"
      narrow
      tools={
        <Link to="/links/channels" className={buttonClass()}>
          Social channels
        </Link>
      }
    >
      {state && code ? (
        <CompleteConnection
          state={state}
          code={code}
          onConnected={(website) => void navigate({ to: '/links/channels', search: { website }, replace: true })}
        />
      ) : (
        <ErrorBox error={CANCELLED} />
      )}
    </Page>
  );
}
