import { NETWORKS } from '@/lib/networks/postback';

const IDS = new Set(NETWORKS.filter(({ kind }) => kind !== 'generic').map(({ id }) => id));

/** The network of the last report; else the only one that partners belong to; empty: none stands out. */
export function usualNetwork(
  imports: readonly { readonly network: string }[],
  partners: readonly { readonly postbackPreset: string | null }[],
): string {
  const [last] = imports;
  if (last) return last.network;
  const used = new Set(partners.flatMap(({ postbackPreset }) => (IDS.has(postbackPreset ?? '') ? postbackPreset : [])));
  const [only] = used;
  return used.size === 1 ? (only ?? '') : '';
}
