import type { SocialNetwork } from '@/lib/api/types';

interface NetworkText {
  readonly label: string;
  /** A handle or address as people type it. */
  readonly example: string;
}

/** The networks in the order in which they are offered. */
export const NETWORKS: Readonly<Record<SocialNetwork, NetworkText>> = {
  instagram: { label: 'Instagram', example: '@yourname or instagram.com/yourname' },
  tiktok: { label: 'TikTok', example: '@yourname or tiktok.com/@yourname' },
  youtube: { label: 'YouTube', example: '@yourname or youtube.com/@yourname' },
  x: { label: 'X', example: '@yourname or x.com/yourname' },
  pinterest: { label: 'Pinterest', example: 'yourname or pinterest.com/yourname' },
  facebook: { label: 'Facebook', example: 'yourname or facebook.com/yourname' },
};

export const NETWORK_NAMES = Object.keys(NETWORKS) as SocialNetwork[];
