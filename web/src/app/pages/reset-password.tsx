import { Link, useNavigate } from '@tanstack/react-router';
import { ErrorBox } from '@/components/data/states';
import { ResetPassword } from '@/features/auth/reset-password';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';
import { textLink } from './text-link';

const NO_CODE = new Error('This link is not whole. Open the whole link of the mail, or ask for a new one.');

export function ResetPasswordPage() {
  const navigate = useNavigate();
  const code = useOneTimeCode('/reset-password');
  return (
    <Entrance
      title="Set a new password"
      subtitle="All your sessions end with it."
      below={
        <Link to="/forgot-password" className={textLink}>
          Ask for a new link
        </Link>
      }
    >
      {code ? <ResetPassword code={code} onDone={() => void navigate({ to: '/login', replace: true })} /> : <ErrorBox error={NO_CODE} />}
    </Entrance>
  );
}
