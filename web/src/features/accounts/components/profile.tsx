import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SelectField, TextField } from '@/components/ui/field';
import { api, body, done } from '@/lib/api/client';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { Account } from '@/lib/api/types';
import { browserTimezone, timezones } from '@/lib/dates';
import { company, email, name, PUBLIC_NAME } from '@/lib/fields';
import { userQuery } from '@/lib/shared-queries';
import { toast, toastError } from '@/stores/toasts';
import { Loaded } from './loaded';
import { ProofDialog } from '@/components/security/proof-dialog';

/** Empty: others see the name. */
const displayName = z.string().check(
  z.trim(),
  z.refine((text) => text.length !== 1, 'Name must be at least 2 characters'),
);
const schema = z.object({ name, displayName, company, timezone: z.string() });
type Values = z.infer<typeof schema>;

export function ProfileCard() {
  return (
    <Card title="Profile" description="Your name and email">
      <Loaded query={useQuery(userQuery)}>{(user) => <Profile user={user} />}</Loaded>
    </Card>
  );
}

function Profile({ user }: { readonly user: Account }) {
  const client = useQueryClient();
  const [changing, setChanging] = useState(false);
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    values: { name: user.name, displayName: user.displayName, company: user.company, timezone: user.timezone },
  });
  const { errors, isDirty } = form.formState;
  const save = useMutation({
    mutationFn: (values: Values) => body(api.PATCH('/api/platform/user', { body: values })),
    onSuccess: async () => {
      toast('Profile saved');
      await client.invalidateQueries({ queryKey: userQuery.queryKey });
    },
    onError: (error) => {
      toastError('Failed to save the profile', messageOf(error));
      if (!(error instanceof ApiError)) return;
      for (const field of ['name', 'displayName', 'company', 'timezone'] as const) {
        if (error.fields[field]) form.setError(field, { message: error.fields[field] });
      }
    },
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
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => void form.handleSubmit((values) => save.mutate(values))(event)}
      >
        <TextField
          label="Name"
          autoComplete="name"
          hint={user.displayName ? 'Not public: others see your display name.' : PUBLIC_NAME}
          error={errors.name?.message}
          {...form.register('name')}
        />
        <TextField
          label="Display name (optional)"
          autoComplete="nickname"
          hint="Shown instead of your name in the forum and the marketplace. An existing forum handle does not change."
          error={errors.displayName?.message}
          {...form.register('displayName')}
        />
        <TextField
          label="Company (optional)"
          autoComplete="organization"
          error={errors.company?.message}
          {...form.register('company')}
        />
        <SelectField label="Time zone" hint="Used where no website’s time zone applies." {...form.register('timezone')}>
          {zones.map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </SelectField>
        <Button type="submit" variant="primary" className="self-start" busy={save.isPending} disabled={!isDirty}>
          Save profile
        </Button>
      </form>
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
        const checked = email.safeParse(address);
        setRefused(checked.success ? undefined : checked.error.issues[0]?.message);
        if (!checked.success) return;
        try {
          await done(api.POST('/api/platform/email/change', { body: { ...proof, email: checked.data } }));
        } catch (error) {
          if (error instanceof ApiError) setRefused(error.fields['email']);
          throw error;
        }
        toast('Check your email', `A link to confirm ${checked.data} was sent.`);
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
