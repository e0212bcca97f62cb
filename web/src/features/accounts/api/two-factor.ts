import type { FactorToSetUp } from '@/components/security/factor-set-up';
import type { Proof } from '@/components/security/proof-dialog';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import { userQuery } from '@/lib/api/shared-queries';
import { sessionsQuery } from './sessions';

/** Also ends other sessions. */
export const FACTOR_CHANGES = [userQuery.queryKey, sessionsQuery.queryKey];

export const isTooOld = (error: Error): boolean => error instanceof ApiError && error.code === 'password_needed';

export const setUpFactor = (proof?: Proof): Promise<FactorToSetUp> =>
  body(api.POST('/api/platform/2fa/setup', { body: proof ?? {} }));

/** Without the password, as long as the sign-in is new. */
export const startFactor = command({
  send: () => setUpFactor(),
  failure: (error) => (isTooOld(error) ? null : ['Failed to set up two-factor authentication', messageOf(error)]),
});

export const confirmFactor = command({
  send: async (code: string) => (await body(api.POST('/api/platform/2fa/confirm', { body: { code } }))).recoveryCodes,
  changes: FACTOR_CHANGES,
});

export const newRecoveryCodes = async (proof: Proof): Promise<string[]> =>
  (await body(api.POST('/api/platform/2fa/recovery-codes', { body: proof }))).recoveryCodes;

export const disableFactor = (proof: Proof): Promise<void> =>
  done(api.POST('/api/platform/2fa/disable', { body: proof }));
