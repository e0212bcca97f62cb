import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { Proof } from '@/components/security/proof-dialog';
import { userQuery } from '@/lib/api/shared-queries';

interface Profile {
  readonly name: string;
  readonly displayName: string;
  readonly company: string;
  readonly timezone: string;
}

export const updateUser = command({
  send: (profile: Profile) => body(api.PATCH('/api/platform/user', { body: profile })),
  changes: [userQuery.queryKey],
  success: 'Profile saved',
  failure: 'Failed to save the profile',
});

export const changeEmail = (change: Proof & { readonly email: string }): Promise<void> =>
  done(api.POST('/api/platform/email/change', { body: change }));

export const changePassword = ({
  password,
  newPassword,
  ...factor
}: Proof & { readonly newPassword: string }): Promise<void> =>
  done(api.POST('/api/platform/password/change', { body: { currentPassword: password, newPassword, ...factor } }));

export const eraseAccount = (proof: Proof): Promise<void> => done(api.POST('/api/platform/erase', { body: proof }));
