import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { whySessionEnded } from '@/lib/session';
import { setupStateQuery } from '@/features/accounts/api/setup-state';
import { providerProblem } from '@/features/accounts/lib/provider-problem';
import { SignIn } from '@/features/accounts/components/sign-in';
import { PRODUCT } from '../product';
import { startPage } from '../start-page';
import { Entrance } from './entrance';
import { textLink } from './text-link';

// Most visitors sign in: the other forms come when they are opened.
const Register = lazy(() =>
  import('@/features/accounts/components/register').then((module) => ({ default: module.Register })),
);
const WebsiteSignIn = lazy(() =>
  import('@/features/accounts/components/website-sign-in').then((module) => ({ default: module.WebsiteSignIn })),
);

const TABS = ['sign-in', 'create-account', 'website'] as const;

export function LoginPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/login' });
  const tab = TABS.find((name) => name === search.tab) ?? (search.invite ? 'create-account' : 'sign-in');
  const [secondStep, setSecondStep] = useState(false);
  const [expired] = useState(() => whySessionEnded() === 'expired');
  const choose = (next: string) => void navigate({ to: '/login', search: { ...search, tab: next }, replace: true });
  const client = useQueryClient();
  const enter = async () => navigate({ href: search.next ?? (await startPage(client)), replace: true });
  const forms: readonly Tab[] = [
    {
      id: 'sign-in',
      label: 'Sign In',
      content: <SignIn next={search.next} onSignedIn={() => void enter()} onSecondStep={setSecondStep} />,
    },
    {
      id: 'create-account',
      label: 'Create Account',
      content: form(
        <Register
          invite={search.invite ?? ''}
          without={<WithoutInvite />}
          onSignedIn={() => void enter()}
          onSecondStep={setSecondStep}
        />,
      ),
    },
  ];
  const kinds: readonly Tab[] = [
    {
      id: 'platform',
      label: 'Platform Access',
      content: (
        <Tabs label="Platform Access" look="pill" tabs={forms} value={tab} onChange={choose} bare={secondStep} />
      ),
    },
    {
      id: 'website',
      label: 'Website Access',
      content: form(<WebsiteSignIn onSignedIn={() => void navigate({ to: '/admin', replace: true })} />),
    },
  ];
  return (
    <Entrance
      title={`Welcome to ${PRODUCT}`}
      subtitle={
        secondStep
          ? 'One more step to protect your account.'
          : tab === 'create-account'
            ? 'Registration is by invite only.'
            : 'Sign in to see your websites.'
      }
    >
      {expired && !secondStep && (
        <p role="status" className="mb-5 rounded-lg bg-warn-soft px-3.5 py-2.5 text-warn">
          Your session has expired. Sign in again to continue where you left off.
        </p>
      )}
      {tab !== 'create-account' && !secondStep && <NewHere />}
      {search.problem && (
        <ErrorBox className="mb-5" error={new Error(providerProblem(search.problem, search.provider ?? ''))} />
      )}
      <Tabs
        label="Account type"
        tabs={kinds}
        value={tab === 'website' ? 'website' : 'platform'}
        onChange={(kind) => choose(kind === 'website' ? 'website' : 'sign-in')}
        bare={secondStep}
      />
    </Entrance>
  );
}

const form = (content: ReactNode) => <Suspense fallback={<Loading label="Loading the form" />}>{content}</Suspense>;

/** What a visitor without an account can do. Of an empty installation the operator alone has the link. */
function NewHere() {
  const { data: setup } = useQuery(setupStateQuery);
  const box = 'mb-5 rounded-lg bg-sunken px-3.5 py-2.5';
  if (setup?.isOpen) {
    return (
      <p className={box}>
        <span className="font-medium">Nobody has an account here yet.</span> Open the set-up link that the terminal
        showed when {PRODUCT} started. <code>althing setup-link</code> prints a new one.
      </p>
    );
  }
  return (
    <p className={box}>
      <span className="font-medium">New here?</span>{' '}
      <Link to="/login" search={{ tab: 'create-account' }} className={textLink}>
        Use an invite code
      </Link>{' '}
      or{' '}
      <Link to="/" hash="early-access" className={textLink}>
        join early access
      </Link>
      .
    </p>
  );
}

function WithoutInvite() {
  return (
    <p className="text-center text-[0.8125rem] text-muted">
      No invite code?{' '}
      <Link to="/" hash="early-access" className={textLink}>
        Join early access
      </Link>{' '}
      or{' '}
      <Link to="/contact" className={textLink}>
        contact us
      </Link>
      .
    </p>
  );
}
