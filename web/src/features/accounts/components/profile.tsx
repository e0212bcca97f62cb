import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { UpdateUser } from '@/lib/api/request-schemas';
import type { Account } from '@/lib/api/types';
import { browserTimezone, timezones } from '@/lib/dates';
import { company, email, name, PUBLIC_NAME } from '@/lib/form/fields';
import type { Check } from '@/lib/form/rules';
import { userQuery } from '@/lib/api/shared-queries';
import { toast } from '@/stores/toasts';
import { changeEmail, updateUser } from '../api/profile';
import { Loaded } from './loaded';
import { ProofDialog } from '@/components/security/proof-dialog';

/** Empty: others see the name. */
const displayName: Check = (text) => (text ? name(text) : undefined);

export function ProfileCard() {
  return (
    <Card title="Profile" description="Your name and email">
      <Loaded query={useQuery(userQuery)}>{(user) => <Profile user={user} />}</Loaded>
    </Card>
  );
}

function Profile({ user }: { readonly user: Account }) {
  const [changing, setChanging] = useState(false);
  const form = useRequestForm({
    request: UpdateUser,
    initial: { name: user.name, displayName: user.displayName, company: user.company, timezone: user.timezone },
    follow: true,
    rules: { name, displayName, company },
    command: useCommand(updateUser),
  });
  const zones = [...new Set([user.timezone, browserTimezone(), ...timezones()])];
  return (
    <>
      <dl className="mb-5 grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2.5">
        <dt className="text-muted">Email</dt>
        <dd className="flex min-w-0 flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 break-all">{user.email}</span>
          <Button size="sm" onClick={() => setChanging(true)}>
            Change email
          </Button>
        </dd>
        <dt className="text-muted">Roles</dt>
        <dd className="flex flex-wrap gap-1.5">
          {user.roles.map((role) => (
            <Badge key={role} tone="brand">
              {role}
            </Badge>
          ))}
        </dd>
      </dl>
      <Form form={form}>
        <TextField
          label="Name"
          autoComplete="name"
          hint={user.displayName ? 'Not public: others see your display name.' : PUBLIC_NAME}
          {...form.field('name')}
        />
        <TextField
          label="Display name (optional)"
          autoComplete="nickname"
          hint="Shown instead of your name in the forum and the marketplace. An existing forum handle does not change."
          {...form.field('displayName')}
        />
        <TextField label="Company (optional)" autoComplete="organization" {...form.field('company')} />
        <SelectField label="Time zone" hint="Used where no website’s time zone applies." {...form.field('timezone')}>
          {zones.map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </SelectField>
        <SubmitButton form={form} className="self-start" disabled={!form.isDirty}>
          Save profile
        </SubmitButton>
      </Form>
      {changing && <ChangeEmail user={user} onClose={() => setChanging(false)} />}
    </>
  );
}

function ChangeEmail({ user, onClose }: { readonly user: Account; readonly onClose: () => void }) {
  const [address, setAddress] = useState('');
  const [refused, setRefused] = useState<string>();
  return (
    <ProofDialog
      title="Change email"
      description={`We’ll email a link to the new address. Until you confirm it, sign in with ${user.email}.`}
      action="Send the link"
      user={user}
      ready={address.trim() !== ''}
      run={async (proof) => {
        const fault = email(address.trim());
        setRefused(fault);
        if (fault) return;
        try {
          await changeEmail({ ...proof, email: address.trim() });
        } catch (error) {
          if (error instanceof ApiError) setRefused(error.fields['email']);
          throw error;
        }
        toast('Check your email', `A link to confirm ${address.trim()} was sent.`);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label="New email"
        type="email"
        autoComplete="email"
        error={refused}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
    </ProofDialog>
  );
}
