// What an admin does with an account: its roles, and its end.
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { Check } from '@/components/ui/check';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { DisableAccount } from '@/lib/api/request-schemas';
import type { AdminAccount } from '@/lib/api/types';
import { disableAccount, endSessionsOf, ROLES, setRoles } from '../api/admin';
import { nameOf } from '../lib/account-names';

interface Props {
  readonly account: AdminAccount;
  readonly onClose: () => void;
}

export function Roles({ account, onClose }: Props) {
  const form = useRequestForm({
    initial: { roles: ROLES.filter((role) => account.roles.includes(role)) },
    command: useCommand(setRoles(account.id), { onSuccess: onClose }),
  });
  const { roles } = form.values;
  return (
    <FormDialog
      form={form}
      title={`Roles of ${nameOf(account)}`}
      description="Changes take effect immediately. Every account is a member."
      action="Save roles"
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-2.5">
        <legend className="sr-only">Roles</legend>
        {ROLES.map((role) => (
          <Check
            key={role}
            label={role}
            disabled={role === 'member'}
            checked={role === 'member' || roles.includes(role)}
            onChange={(on) => form.set('roles')(on ? [...roles, role] : roles.filter((item) => item !== role))}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}

export function Disable({ account, onClose }: Props) {
  const form = useRequestForm({
    request: DisableAccount,
    initial: { reason: '' },
    rules: { reason: { maxLength: 500 } },
    command: useCommand(disableAccount(account.id), { onSuccess: onClose }),
  });
  return (
    <FormDialog
      form={form}
      title={`Disable ${nameOf(account)}?`}
      description="The account can no longer sign in, and its sessions end immediately."
      action="Disable"
      danger
      disabled={!form.isComplete}
      onClose={onClose}
    >
      <TextField label="Reason" {...form.field('reason')} />
    </FormDialog>
  );
}

export function EndSessions({ account, onClose }: Props) {
  const form = useRequestForm({
    initial: {},
    command: useCommand(endSessionsOf(account.id), { onSuccess: onClose }),
    input: () => undefined,
  });
  return (
    <FormDialog
      form={form}
      title={`Sign out ${nameOf(account)}?`}
      description="This account is signed out in every browser."
      action="Sign out everywhere"
      danger
      onClose={onClose}
    />
  );
}
