import { useNavigate } from '@tanstack/react-router';
import { ErrorBox } from '@/components/data/states';
import { ConfirmEmail } from '@/features/accounts/components/confirm-email';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

const NO_CODE = new Error('This link is incomplete. Open the full link from your email.');

export function ConfirmEmailPage() {
  const navigate = useNavigate();
  const code = useOneTimeCode('/confirm-email');
  return (
    <Entrance title="Confirm your address" subtitle="The last step of changing your email address.">
      {code ? (
        <ConfirmEmail code={code} onDone={() => void navigate({ to: '/account-settings', replace: true })} />
      ) : (
        <ErrorBox error={NO_CODE} />
      )}
    </Entrance>
  );
}
