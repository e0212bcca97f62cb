// A link as the texts of a form, and back.
import type { Link } from '@/lib/api/types';

export const DEVICES = ['desktop', 'mobile', 'tablet', 'other'] as const;
export type Device = (typeof DEVICES)[number];
export const SUBS = ['sub1', 'sub2', 'sub3', 'sub4', 'sub5', 'sub6', 'sub7', 'sub8', 'sub9', 'sub10'] as const;

export interface RuleDraft {
  readonly countries: readonly string[];
  readonly devices: readonly Device[];
  readonly destination: string;
}

export interface VariantDraft {
  readonly destination: string;
  readonly weight: string;
  readonly name: string;
  /** Empty: the link's. */
  readonly partnerId: string;
  /** None: a new variant. */
  readonly number: number | null;
}

export const newVariant = (destination: string): VariantDraft => ({
  destination,
  weight: '1',
  name: '',
  partnerId: '',
  number: null,
});

export interface LinkDraft {
  readonly destination: string;
  readonly coupon: string;
  readonly subs: readonly string[];
  readonly rules: readonly RuleDraft[];
  readonly variants: readonly VariantDraft[];
  /** Local time of this browser, as a datetime field has it; empty: never. */
  readonly expiresAt: string;
  readonly fallback: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly folder: string;
}

export const EMPTY_DRAFT: LinkDraft = {
  destination: '',
  coupon: '',
  subs: SUBS.map(() => ''),
  rules: [],
  variants: [],
  expiresAt: '',
  fallback: '',
  tags: '',
  folder: '',
};

export function draftOf(link: Link): LinkDraft {
  return {
    destination: link.destination,
    coupon: link.coupon ?? '',
    subs: SUBS.map((name) => link[name]),
    rules: link.rules.map((rule) => ({
      countries: rule.countries,
      devices: DEVICES.filter((device) => rule.devices.includes(device)),
      destination: rule.destination,
    })),
    variants: link.variants.map((variant) => ({
      ...variant,
      weight: String(variant.weight),
      partnerId: variant.partnerId ?? '',
    })),
    expiresAt: link.expiresAt ? localText(new Date(link.expiresAt)) : '',
    fallback: link.fallback ?? '',
    tags: link.tags.join(', '),
    folder: link.folder ?? '',
  };
}

/** Fields of both link commands. */
export function routingOf(draft: LinkDraft) {
  return {
    rules: draft.rules.map((rule) => ({
      countries: [...rule.countries],
      devices: [...rule.devices],
      destination: rule.destination.trim(),
    })),
    variants: draft.variants.map((variant) => ({
      destination: variant.destination.trim(),
      weight: /^\d{1,4}$/.test(variant.weight.trim()) ? Number(variant.weight) : 0,
      name: variant.name.trim(),
      partnerId: variant.partnerId || null,
      number: variant.number,
    })),
    expiresAt: draft.expiresAt ? new Date(draft.expiresAt).toISOString() : null,
    fallback: draft.fallback.trim() || null,
  };
}

/** For a new link: only what was filled in. */
export function creationOf(draft: LinkDraft) {
  const { rules, variants, expiresAt, fallback } = routingOf(draft);
  const destination = draft.destination.trim();
  const coupon = draft.coupon.trim();
  return {
    ...(destination ? { destination } : {}),
    ...(coupon ? { coupon } : {}),
    ...(tagsOf(draft).length > 0 ? { tags: tagsOf(draft) } : {}),
    ...(draft.folder.trim() ? { folder: draft.folder.trim() } : {}),
    ...subsOf(draft, (text) => text !== ''),
    ...(rules.length > 0 ? { rules } : {}),
    ...(variants.length > 0 ? { variants: variants.map((variant) => ({ ...variant, number: null })) } : {}),
    ...(expiresAt ? { expiresAt } : {}),
    ...(fallback ? { fallback } : {}),
  };
}

/** For an update: only changed fields, so that concurrent changes of others are kept. */
export function changesOf(draft: LinkDraft, before: Link) {
  const [is, was] = [routingOf(draft), routingOf(draftOf(before))];
  const differs = (name: keyof typeof is) => JSON.stringify(is[name]) !== JSON.stringify(was[name]);
  return {
    ...(draft.destination.trim() === before.destination ? {} : { destination: draft.destination.trim() }),
    ...(draft.coupon.trim().toUpperCase() === (before.coupon ?? '') ? {} : { coupon: draft.coupon.trim() }),
    ...subsOf(draft, (text, name) => text !== before[name]),
    ...(tagsOf(draft).join() === before.tags.join() ? {} : { tags: tagsOf(draft) }),
    ...(draft.folder.trim() === (before.folder ?? '') ? {} : { folder: draft.folder.trim() }),
    ...(differs('rules') ? { rules: is.rules } : {}),
    ...(differs('variants') ? { variants: is.variants } : {}),
    ...(differs('expiresAt') ? { expiresAt: is.expiresAt } : {}),
    ...(differs('fallback') ? { fallback: is.fallback } : {}),
  };
}

function tagsOf(draft: LinkDraft): string[] {
  return draft.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
}

function subsOf(draft: LinkDraft, keep: (text: string, name: (typeof SUBS)[number]) => boolean) {
  return Object.fromEntries(
    SUBS.map((name, index) => [name, (draft.subs[index] ?? '').trim()] as const).filter(([name, text]) =>
      keep(text, name),
    ),
  );
}

function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
