import { expect, test } from 'vitest';
import { MAX_BYTES, readCsvFile } from './csv-file';

const file = (...parts: BlobPart[]) => new File(parts, 'links.csv');
const utf16 = (text: string, mark: readonly number[], isLittle: boolean): Uint8Array<ArrayBuffer> => {
  const bytes = [...mark];
  for (const unit of Array.from({ length: text.length }, (_, index) => text.charCodeAt(index)))
    bytes.push(...(isLittle ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255]));
  return new Uint8Array(bytes);
};

test.each([
  ['UTF-8', file('slug\nspring é')],
  ['UTF-8 with a byte order mark', file('\ufeffslug\nspring é')],
  ['UTF-16, little end first', file(utf16('slug\nspring é', [0xff, 0xfe], true))],
  ['UTF-16, big end first', file(utf16('slug\nspring é', [0xfe, 0xff], false))],
])('a file in %s is read', async (_, chosen) => {
  expect(await readCsvFile(chosen)).toBe('slug\nspring é');
});

test('a file in another encoding says how to save it', async () => {
  await expect(readCsvFile(file(new Uint8Array([0x73, 0xe9, 0x0a])))).rejects.toThrow('Save it as “CSV UTF-8”');
});

test('a spreadsheet that is no CSV is not sent', async () => {
  await expect(readCsvFile(file('PK\0\0'))).rejects.toThrow('Save your spreadsheet as CSV');
});

test('a file that is too large is not sent', async () => {
  await expect(readCsvFile(file('x'.repeat(MAX_BYTES + 1)))).rejects.toThrow('at most 1,000 links');
  await expect(readCsvFile(file('x'.repeat(2 * MAX_BYTES + 1)))).rejects.toThrow('at most 1,000 links');
});
