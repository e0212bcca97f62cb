import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { FinishSignIn } from '@/features/accounts/components/finish-sign-in';
import { providerProblem } from '@/features/accounts/lib/provider-problem';
import { useSession } from '@/lib/session';
import { startPage } from '../start-page';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';
import { textLink } from './text-link';

const NO_CODE = new Error('This sign-in has ended. Please sign in again.');

/** The page that a sign-in provider redirects to, with a one-time code in the fragment or an error reason. */
export function FinishSignInPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/login/finish' });
  const [{ next, problem, provider }] = useState(search); // the address loses them with the code
  const code = useOneTimeCode('/login/finish');
  const signedIn = useSession() !== null;
  const client = useQueryClient();
  const enter = async () => navigate({ href: next ?? (await startPage(client)), replace: true });
  const back = (
    <p className="text-center">
      {signedIn ? (
        <Link to="/account-settings" className={textLink}>
          Back to account settings
        </Link>
      ) : (
        <Link to="/login" className={textLink}>
          Back to Login
        </Link>
      )}
    </p>
  );
  const refused = problem ? new Error(providerProblem(problem, provider ?? '')) : NO_CODE;
  return (
    <Entrance title="Sign in" subtitle="With Google, GitHub, Microsoft or LinkedIn.">
      {code && !problem ? (
        <FinishSignIn
          code={code}
          back={back}
          onSignedIn={() => void enter()}
          onLinked={() => void navigate({ to: '/account-settings', replace: true })}
          onBack={() => void navigate({ to: '/login', search: {}, replace: true })}
        />
      ) : (
        <>
          <ErrorBox error={refused} className="mb-5" />
          {back}
        </>
      )}
    </Entrance>
  );
}
