import type { SocialNetwork } from '@/lib/api/types';

interface NetworkText {
  readonly label: string;
  /** A handle or address as people type it. */
  readonly example: string;
  /** An address of a post. */
  readonly post: string;
  /** Where its exports are; null: no file of this network is read. */
  readonly files: string | null;
}

/** The networks in the order in which they are offered. */
export const NETWORKS: Readonly<Record<SocialNetwork, NetworkText>> = {
  instagram: {
    label: 'Instagram',
    example: '@yourname or instagram.com/yourname',
    post: 'https://www.instagram.com/p/DAbCdEfGhIj/',
    files: 'Meta Business Suite › Insights › Content › Export data.',
  },
  tiktok: {
    label: 'TikTok',
    example: '@yourname or tiktok.com/@yourname',
    post: 'https://www.tiktok.com/@example/video/7300000000000000000',
    files: 'TikTok Studio › Analytics › Download data: Content, Overview or FollowerHistory.',
  },
  youtube: {
    label: 'YouTube',
    example: '@yourname or youtube.com/@yourname',
    post: 'https://www.youtube.com/watch?v=aBcDeFgHiJk',
    files: 'YouTube Studio › Analytics › Advanced mode › Export: “Table data” of content or by date.',
  },
  x: {
    label: 'X',
    example: '@yourname or x.com/yourname',
    post: 'https://x.com/example/status/1800000000000000000',
    files: 'X Analytics › Content or Overview › Download.',
  },
  pinterest: {
    label: 'Pinterest',
    example: 'yourname or pinterest.com/yourname',
    post: 'https://www.pinterest.com/pin/1234567890123/',
    files: null,
  },
  facebook: {
    label: 'Facebook',
    example: 'yourname or facebook.com/yourname',
    post: 'https://www.facebook.com/example/posts/1234567890',
    files: 'Meta Business Suite › Insights › Content › Export data.',
  },
};

export const NETWORK_NAMES = Object.keys(NETWORKS) as SocialNetwork[];
