import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { providerProblem } from '@/features/accounts/lib/provider-problem';
import { SignIn } from '@/features/accounts/components/sign-in';
import { PRODUCT } from '../product';
import { Entrance } from './entrance';

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
  const choose = (next: string) => void navigate({ to: '/login', search: { ...search, tab: next }, replace: true });
  const enter = () => void navigate({ href: search.next ?? '/dashboard', replace: true });
  const forms: readonly Tab[] = [
    { id: 'sign-in', label: 'Sign In', content: <SignIn next={search.next} onSignedIn={enter} /> },
    {
      id: 'create-account',
      label: 'Create Account',
      content: form(<Register invite={search.invite ?? ''} onSignedIn={enter} />),
    },
  ];
  const kinds: readonly Tab[] = [
    {
      id: 'platform',
      label: 'Platform Access',
      content: <Tabs label="Platform Access" look="pill" tabs={forms} value={tab} onChange={choose} />,
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
      subtitle={tab === 'create-account' ? 'Membership is by invite only.' : 'Sign in to see your websites.'}
    >
      {search.problem && (
        <ErrorBox className="mb-5" error={new Error(providerProblem(search.problem, search.provider ?? ''))} />
      )}
      <Tabs
        label="Account type"
        tabs={kinds}
        value={tab === 'website' ? 'website' : 'platform'}
        onChange={(kind) => choose(kind === 'website' ? 'website' : 'sign-in')}
      />
    </Entrance>
  );
}

const form = (content: ReactNode) => <Suspense fallback={<Loading label="Loading the form" />}>{content}</Suspense>;
