// Writes from openapi.json what the app knows of the API: src/lib/api/schema.d.ts, its types, and src/lib/api/request-schemas.ts,
// the bounds of its requests, which forms check. It runs before whatever needs them and does nothing while its inputs are
// those of the files that are there: their hash is in the first lines. What is deprecated has no type here.
// The files are renamed into place, so that runs beside each other always find whole ones.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { requestsOf } from './api-requests.mjs';

const source = new URL('../openapi.json', import.meta.url);
const parts = [import.meta.url, new URL('api-requests.mjs', import.meta.url).href];
const generator = createRequire(import.meta.url)('openapi-typescript/package.json');

const document = readFileSync(source);
const hash = createHash('sha256');
for (const part of [document, ...parts.map((url) => readFileSync(new URL(url))), generator.version]) hash.update(part);
const header = `// Made from openapi.json by scripts/api-types.mjs; inputs ${hash.digest('hex')}\n`;

await write('request-schemas.ts', () => requestsOf(JSON.parse(document.toString())));
await write('schema.d.ts', async () => {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  return astToString(await openapiTS(source, { excludeDeprecated: true }));
});

async function write(name, textOf) {
  const target = new URL(`../src/lib/api/${name}`, import.meta.url);
  if (existsSync(target) && readFileSync(target, 'utf8').startsWith(header)) return;
  const draft = new URL(`${target.href}.${process.pid}`);
  writeFileSync(draft, header + (await textOf()));
  renameSync(draft, target);
  console.log(`src/lib/api/${name}: made from openapi.json`);
}
