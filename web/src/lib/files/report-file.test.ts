// Files of Node: those of jsdom have no stream.
import { File as NodeFile } from 'node:buffer';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { COMPRESSED_FROM_BYTES, MAX_FILE_BYTES, MAX_SENT_BYTES, sendable, TOO_LARGE } from './report-file';

const fileOf = (parts: readonly (string | Uint8Array)[], name: string) =>
  new NodeFile([...parts] as never, name) as unknown as File;
const bytesOf = async (content: Blob) => new Uint8Array(await content.arrayBuffer());

test('a large text is compressed before it is sent', async () => {
  const text = 'id;date;commission\n'.repeat(COMPRESSED_FROM_BYTES / 8);
  const sent = await sendable(fileOf([text], 'november.csv'));
  expect(sent.name).toBe('november.csv.gz');
  expect(sent.content.size).toBeLessThan(text.length / 50);
  expect(gunzipSync(await bytesOf(sent.content)).toString()).toBe(text);
});

test('a small file is sent as it is', async () => {
  const file = fileOf(['id;date\n'], 'november.csv');
  expect(await sendable(file)).toEqual({ name: 'november.csv', content: file });
});

test.each([
  ['november.csv.gz', gzipSync(Buffer.from('a'))],
  ['november.xlsx', Buffer.from('PK\u0003\u0004')],
])('%s is compressed already', async (name, start) => {
  const file = fileOf([start, new Uint8Array(COMPRESSED_FROM_BYTES)], name);
  expect(await sendable(file)).toEqual({ name, content: file });
});

test('what is still too large names the other way', async () => {
  const file = fileOf([gzipSync(Buffer.from('a')), new Uint8Array(MAX_SENT_BYTES)], 'year.csv.gz');
  await expect(sendable(file)).rejects.toThrow(TOO_LARGE);
  expect(TOO_LARGE).toContain('althing import network');
});

test('what the server would not read is not compressed first', async () => {
  const file = { size: MAX_FILE_BYTES + 1, name: 'decade.csv' } as File;
  await expect(sendable(file)).rejects.toThrow(TOO_LARGE);
});
