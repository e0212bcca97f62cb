import { Link } from '@tanstack/react-router';
import { ForgotPassword } from '@/features/auth/forgot-password';
import { Entrance } from './entrance';
import { textLink } from './text-link';

export function ForgotPasswordPage() {
  return (
    <Entrance
      title="Forgot your password?"
      subtitle="We mail you a link to set a new one."
      below={
        <Link to="/login" className={textLink}>
          Back to Login
        </Link>
      }
    >
      <ForgotPassword />
    </Entrance>
  );
}
