import { useNavigate } from '@tanstack/react-router';
import { ErrorBox } from '@/components/data/states';
import { ConfirmEmail } from '@/features/auth/confirm-email';
import { Entrance } from './entrance';
import { useOneTimeCode } from './one-time-code';

const NO_CODE = new Error('This link is not whole. Open the whole link of the mail.');

export function ConfirmEmailPage() {
  const navigate = useNavigate();
  const code = useOneTimeCode('/confirm-email');
  return (
    <Entrance title="Confirm your address" subtitle="The last step of changing your e-mail address.">
      {code ? <ConfirmEmail code={code} onDone={() => void navigate({ to: '/account-settings', replace: true })} /> : <ErrorBox error={NO_CODE} />}
    </Entrance>
  );
}
