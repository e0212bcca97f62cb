import { Link, useNavigate } from '@tanstack/react-router';
import { ErrorBox } from '@/components/data/states';
import { ResetPassword } from '@/features/accounts/components/reset-password';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';
import { textLink } from './text-link';

const NO_CODE = new Error('This link is incomplete. Open the full link from your email, or request a new one.');

export function ResetPasswordPage() {
  const navigate = useNavigate();
  const code = useOneTimeCode('/reset-password');
  return (
    <Entrance
      title="Set a new password"
      subtitle="You’ll be signed out everywhere."
      below={
        <Link to="/forgot-password" className={textLink}>
          Request a new link
        </Link>
      }
    >
      {code ? (
        <ResetPassword code={code} onDone={() => void navigate({ to: '/login', replace: true })} />
      ) : (
        <ErrorBox error={NO_CODE} />
      )}
    </Entrance>
  );
}
