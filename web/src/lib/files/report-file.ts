// The file of a report as it is sent: text is compressed, what is compressed stays as it is.
const MEGABYTE = 1024 * 1024;
/** A smaller file is sent as it is. */
export const COMPRESSED_FROM_BYTES = MEGABYTE;
/** What the server takes; the rest of the request is a few lines. */
export const MAX_SENT_BYTES = 20 * MEGABYTE - 64 * 1024;
/** What the server reads of an unpacked file: compressing more would be for nothing. */
export const MAX_FILE_BYTES = 1024 * MEGABYTE;
export const FILE_TYPES = '.csv,.tsv,.txt,.xlsx,.json,.gz';

export const TOO_LARGE =
  'This file is larger than 20 MB, even compressed. Split it by month, or run “althing import network” on the server.';

export interface SentFile {
  readonly name: string;
  readonly content: Blob;
}

/** Throws an error that says what to do, for a file that is too large. */
export async function sendable(file: File): Promise<SentFile> {
  if (file.size > MAX_FILE_BYTES) throw new Error(TOO_LARGE);
  const sent =
    file.size > COMPRESSED_FROM_BYTES && !(await isCompressed(file))
      ? { name: `${file.name}.gz`, content: await compressed(file) }
      : { name: file.name, content: file };
  if (sent.content.size > MAX_SENT_BYTES) throw new Error(TOO_LARGE);
  return sent;
}

/** First bytes of gzip, and of ZIP, which a workbook is. */
const COMPRESSED = [
  [0x1f, 0x8b],
  [0x50, 0x4b],
] as const;

async function isCompressed(file: Blob): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return COMPRESSED.some(([one, two]) => one === first && two === second);
}

const compressed = (file: Blob): Promise<Blob> =>
  new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();
