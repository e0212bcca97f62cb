import { Link } from '@tanstack/react-router';
import { ForgotPassword } from '@/features/accounts/components/forgot-password';
import { Entrance } from './entrance';
import { textLink } from './text-link';

export function ForgotPasswordPage() {
  return (
    <Entrance
      title="Forgot your password?"
      subtitle="We’ll email you a reset link."
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
