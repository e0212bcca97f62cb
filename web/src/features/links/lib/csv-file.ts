// The text of a CSV file that a person chose, whatever program wrote it.
const UTF_16: readonly (readonly [first: number, second: number, name: string])[] = [
  [0xff, 0xfe, 'utf-16le'],
  [0xfe, 0xff, 'utf-16be'],
];

/** What the import takes, and what JSON makes of it. */
export const MAX_BYTES = 700_000;

/** Throws an error that says what to do, for a file that is too large or not text. */
export async function readCsvFile(file: File): Promise<string> {
  if (file.size > 2 * MAX_BYTES) throw new Error(TOO_LARGE);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const name = UTF_16.find(([first, second]) => bytes[0] === first && bytes[1] === second)?.[2] ?? 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(name, { fatal: true }).decode(bytes);
  } catch {
    throw new Error('This file is not UTF-8. Save it as “CSV UTF-8” and choose it again.');
  }
  if (text.includes('\0')) throw new Error('This is not a CSV file. Save your spreadsheet as CSV and choose it again.');
  if (text.length > MAX_BYTES) throw new Error(TOO_LARGE);
  return text;
}

const TOO_LARGE = 'A file has at most 1,000 links and 700,000 characters. Split it.';
