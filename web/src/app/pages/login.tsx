import { useNavigate, useSearch } from '@tanstack/react-router';
import { surface } from '@/components/ui/card';
import { Tabs, type Tab } from '@/components/ui/tabs';
import { cx } from '@/lib/cx';
import { SignIn } from '@/features/auth/sign-in';
import { PRODUCT } from '../product';

export function LoginPage() {
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/login' });
  const enter = () => void navigate({ href: next ?? '/dashboard', replace: true });
  // One table: registration adds its tab here.
  const forms: readonly Tab[] = [{ id: 'sign-in', label: 'Sign In', content: <SignIn onSignedIn={enter} /> }];
  return (
    <div className="mx-auto w-full max-w-md px-4 py-12 sm:py-20">
      <h1 className="mb-1 text-center text-2xl font-semibold">Welcome to {PRODUCT}</h1>
      <p className="mb-7 text-center text-muted">Sign in to see your websites.</p>
      <div className={cx(surface, 'p-5 sm:p-6')}>
        <Tabs
          label="Account type"
          tabs={[{ id: 'platform', label: 'Platform Access', content: <Tabs label="Platform Access" look="pill" tabs={forms} /> }]}
        />
      </div>
    </div>
  );
}
