// A program of the directory as its form has it.
import { parseMinor, toMajor } from '@/lib/format';
import type { ProgramEntry, ProgramInput } from '../api/directory';

export interface ProgramDraft {
  readonly companyName: string;
  readonly category: string;
  readonly audience: string;
  readonly description: string;
  readonly url: string;
  readonly commissionType: ProgramInput['commissionType'];
  readonly rate: string;
  readonly amount: string;
  readonly currency: string;
  readonly recurring: boolean;
  readonly cookieDays: string;
  readonly approval: ProgramInput['approval'];
  readonly payment: ProgramInput['payment'];
  readonly source: string;
  readonly partnerId: string;
}

export const draftOf = (program: ProgramEntry | null): ProgramDraft => ({
  companyName: program?.companyName ?? '',
  category: program?.category ?? '',
  audience: program?.audience ?? '',
  description: program?.description ?? '',
  url: program?.url ?? 'https://',
  commissionType: program?.commissionType ?? 'percentage',
  rate: program?.commissionRate ? String(program.commissionRate) : '',
  amount: program?.commissionAmount ? String(toMajor(program.commissionAmount)) : '',
  currency: program?.commissionAmount?.currency ?? 'USD',
  recurring: program?.recurring ?? false,
  cookieDays: String(program?.cookieDays ?? 30),
  approval: program?.approval ?? 'medium',
  payment: program?.payment ?? 'monthly',
  source: program?.source ?? '',
  partnerId: program?.partnerId ?? '',
});

/** Throws where the amount is none of its currency. */
export function inputOf(draft: ProgramDraft): ProgramInput {
  const { rate, amount, currency, cookieDays, partnerId, ...rest } = draft;
  const share = draft.commissionType === 'flat' ? 0 : Number(rate.replace(',', '.'));
  const minor = draft.commissionType === 'percentage' ? null : parseMinor(amount, currency);
  if (draft.commissionType !== 'percentage' && minor === null)
    throw new Error('The amount is not valid for that currency.');
  return {
    ...rest,
    commissionRate: share,
    commissionAmount: minor === null ? null : { amount: minor, currency },
    cookieDays: Number(cookieDays),
    partnerId: partnerId || null,
  };
}
