import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { surface } from '@/components/ui/card';
import { ErrorBox } from '@/components/data/states';
import { cx } from '@/lib/cx';
import { textOf } from '@/lib/url/search';
import { SetUp } from '@/features/accounts/components/set-up';
import { PRODUCT } from '../product';

export function SetupPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/setup' });
  const [token] = useState(() => textOf(search['token']));
  useEffect(() => {
    // The one-time token leaves the address, so that it stays out of histories and screenshots.
    if (token) window.history.replaceState(window.history.state, '', '/setup');
  }, [token]);
  return (
    <div className="mx-auto w-full max-w-md px-4 py-12 sm:py-20">
      <h1 className="mb-1 text-center text-2xl font-semibold">Set up {PRODUCT}</h1>
      <p className="mb-7 text-center text-muted">Create the first admin of this installation.</p>
      <div className={cx(surface, 'p-5 sm:p-6')}>
        {token ? (
          <SetUp token={token} onDone={() => void navigate({ to: '/dashboard', replace: true })} />
        ) : (
          <ErrorBox
            error={new Error('This link is incomplete. Open the full link that `althing setup-link` prints.')}
          />
        )}
      </div>
    </div>
  );
}
