// What the form of a new link derives from what is typed: the partner, the slug, the UTM parameters.
import { addressFrom } from '@/lib/url/address';
import type { Partner } from '@/lib/api/types';

export const UTM = ['source', 'medium', 'campaign', 'term', 'content'] as const;
export type UtmName = (typeof UTM)[number];
export type Utm = Readonly<Record<UtmName, string>>;
export const NO_UTM: Utm = { source: '', medium: '', campaign: '', term: '', content: '' };

const MAX_SLUG = 64;
/** Endings below which anybody registers a name; the server knows all of them. */
const SECOND_LEVEL = /^(co|com|net|org|gov|edu|ac)\.[a-z]{2}$/;

/** The end of an address as the API takes it: "Fjord deal!" is "fjord-deal". */
export function slugFrom(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_SLUG)
    .replace(/-+$/, '');
}

/** The partners whose site the destination is on; more than one where a network's links share a domain. */
export function partnersAt(destination: string, partners: readonly Partner[]): readonly Partner[] {
  const domain = domainOf(destination);
  return domain === '' ? [] : partners.filter((partner) => partner.isActive && domainOf(partner.baseUrl) === domain);
}

/** The destination with the UTM parameters that are filled in; those that it has already are replaced. */
export function withUtm(destination: string, utm: Utm): string {
  const filled = UTM.filter((name) => utm[name].trim() !== '');
  if (filled.length === 0 || destination === '') return destination;
  const [address = '', fragment] = split(destination, '#');
  const [path = '', query] = split(address, '?');
  const kept = (query ?? '')
    .split('&')
    .filter((pair) => pair !== '' && !filled.some((name) => pair.startsWith(`utm_${name}=`)));
  const added = filled.map((name) => `utm_${name}=${encodeURIComponent(utm[name].trim())}`);
  return `${path}?${[...kept, ...added].join('&')}${fragment === undefined ? '' : `#${fragment}`}`;
}

function split(text: string, sign: string): [string, string | undefined] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function domainOf(address: string): string {
  const url = addressFrom(address).replace(/\{[^{}]*\}/g, '0');
  if (!URL.canParse(url)) return '';
  const labels = new URL(url).hostname.toLowerCase().split('.');
  if (labels.length < 2) return '';
  return labels.slice(SECOND_LEVEL.test(labels.slice(-2).join('.')) ? -3 : -2).join('.');
}
