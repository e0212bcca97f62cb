// A second factor as it is typed in: the six characters of an authenticator, or one of the recovery codes.
export const CODE_LENGTH = 6;

export interface Factor {
  readonly kind: 'code' | 'recovery';
  readonly text: string;
}

export const NO_FACTOR: Factor = { kind: 'code', text: '' };

/** Apps show "123 456": the gap is no part of the code. */
export const bareCode = (text: string): string => text.replace(/[\s-]/g, '');

/** Nothing else is ever sent. */
export const isComplete = ({ kind, text }: Factor): boolean =>
  kind === 'code' ? text.length === CODE_LENGTH : text.trim() !== '';

/** For calls that name the fields `code` and `recoveryCode`. */
export const asProof = ({ kind, text }: Factor): { code?: string; recoveryCode?: string } =>
  text === '' ? {} : kind === 'code' ? { code: text } : { recoveryCode: text.trim() };

/** For calls that sign in. */
export const asSignIn = ({ kind, text }: Factor): { twoFactorCode?: string; recoveryCode?: string } =>
  text === '' ? {} : kind === 'code' ? { twoFactorCode: text } : { recoveryCode: text.trim() };
