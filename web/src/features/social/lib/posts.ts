// Posts as the report has them, and what may be uploaded for them.
import type { components } from '@/lib/api/schema';
import type { SocialRow } from '@/lib/api/types';
import { countOf } from '@/lib/format';

export type PostRow = SocialRow & { readonly postId: string; readonly publishedAt: string };

export const isPostOf =
  (channelId: string) =>
  (row: SocialRow): row is PostRow =>
    row.kind === 'post' && row.channelId === channelId && row.postId !== null && row.publishedAt !== null;

export const PICTURE_KINDS: readonly string[] = ['image/jpeg', 'image/png', 'image/webp'];
const MAX_MB = 5;

/** Why a file cannot be the picture of a post; null if it may be sent. */
export function pictureFault(file: File): string | null {
  if (!PICTURE_KINDS.includes(file.type)) return `“${file.name}” is not a JPEG, PNG or WebP image.`;
  return file.size > MAX_MB * 1024 * 1024 ? `“${file.name}” is larger than ${MAX_MB} MB.` : null;
}

/** The server takes 900,000 characters. */
const MAX_CSV_BYTES = 1_000_000;

/** Why a file cannot be imported; null if it may be sent. */
export function csvFault(file: File): string | null {
  if (/\.(zip|xlsx?)$/i.test(file.name))
    return 'This is not a CSV file. Unpack a .zip first and choose the .csv file in it.';
  return file.size > MAX_CSV_BYTES ? 'The file is larger than 1 MB. Export a shorter period.' : null;
}

type Imported = components['schemas']['ImportedSocialFile'];

/** What came of a file. */
export function importedText({ days, postsAdded, postsChanged, leftOut }: Imported): string {
  const found = [
    days > 0 && `${countOf(days, 'day')} new or changed`,
    postsAdded > 0 && `${countOf(postsAdded, 'post')} added`,
    postsChanged > 0 && `numbers of ${countOf(postsChanged, 'post')} updated`,
  ].filter(Boolean);
  const done = found.length > 0 ? found.join(', ') : 'Nothing new in this file';
  return leftOut > 0 ? `${done}. ${countOf(leftOut, 'line')} skipped.` : `${done}.`;
}
