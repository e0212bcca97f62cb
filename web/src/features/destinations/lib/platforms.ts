// Ad platforms and what their forms have. `platforms.json` is made from `infra/domain/ad_platforms/rules.py` by `make docs`.
import type { components } from '@/lib/api/schema';
import platforms from './platforms.json';

export type AdPlatform = components['schemas']['AdPlatform'];

/** One of the credentials of a platform’s API, as the platform calls it. */
export interface Credential {
  readonly name: string;
  readonly label: string;
  readonly isSecret?: true;
}

export interface PlatformRules {
  readonly id: AdPlatform;
  readonly label: string;
  readonly credentials: readonly Credential[];
  /** Without credentials, conversions are in files to upload. */
  readonly hasFiles?: true;
  /** Names of conversions that its API knows, as a regular expression; any where it has none. */
  readonly nameForm?: string;
  readonly nameHint?: string;
}

export const PLATFORMS = platforms as readonly PlatformRules[];

export const platformOf = (id: string): PlatformRules | undefined => PLATFORMS.find((one) => one.id === id);
export const labelOf = ({ platform }: { readonly platform: AdPlatform }): string =>
  platformOf(platform)?.label ?? platform;

/** What is wrong with the name of a kind of conversions; `isApi`: they are sent by the platform’s API. */
export function nameFault({ nameForm, nameHint }: PlatformRules, isApi: boolean, name: string): string | undefined {
  if (!name || !isApi || !nameForm || new RegExp(`^(?:${nameForm})$`, 'u').test(name)) return undefined;
  return `Please enter ${nameHint}`;
}
