// Brotli beside every text file under assets/, which the gateway sends to browsers that take it: a sixth less than gzip
// on the wire. The best setting is too slow for a server that starts, so it is done here, once per build.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const assets = new URL('../dist/assets/', import.meta.url);
const WORTH_COMPRESSING = 1024;
let before = 0,
  after = 0;
for (const name of readdirSync(assets).filter((file) => /\.(js|css|svg)$/.test(file))) {
  const content = readFileSync(new URL(name, assets));
  if (content.length < WORTH_COMPRESSING) continue;
  const packed = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  writeFileSync(new URL(`${name}.br`, assets), packed);
  before += content.length;
  after += packed.length;
}
console.log(`brotli: ${Math.round(before / 1000)} kB are ${Math.round(after / 1000)} kB`);
