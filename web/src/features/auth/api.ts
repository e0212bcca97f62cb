import { api, body, done } from '@/lib/api/client';
import { endSession, startSession, type User } from '@/lib/session';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export type SignIn = 'signed-in' | 'code-needed';

export async function signIn(credentials: Credentials, twoFactorCode?: string): Promise<SignIn> {
  const result = await body(api.POST('/api/platform/login', { body: { ...credentials, ...(twoFactorCode ? { twoFactorCode } : {}) } }));
  if (result.requires2FA) return 'code-needed';
  keep(result);
  return 'signed-in';
}

export async function setUp(values: Credentials & { readonly name: string; readonly token: string }): Promise<void> {
  keep(await body(api.POST('/api/platform/setup', { body: values })));
}

/** The browser forgets the session even when the server cannot be told. */
export async function signOut(): Promise<void> {
  try {
    await done(api.POST('/api/platform/logout'));
  } finally {
    endSession();
  }
}

function keep({ token, user }: { readonly token?: string; readonly user?: User }): void {
  if (!token || !user) throw new Error('The server did not start a session.');
  startSession({ token, user });
}
