// Writes src/lib/api/schema.d.ts, the types of the API, from openapi.json. It runs before whatever needs them and does
// nothing while its inputs are those of the file that is there: their hash is in its first line.
// The file is renamed into place, so that runs beside each other always find a whole one.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const document = new URL('../openapi.json', import.meta.url);
const target = new URL('../src/lib/api/schema.d.ts', import.meta.url);
const generator = createRequire(import.meta.url)('openapi-typescript/package.json');

const hash = createHash('sha256');
for (const part of [readFileSync(document), readFileSync(new URL(import.meta.url)), generator.version])
  hash.update(part);
const header = `// Made from openapi.json by scripts/api-types.mjs; inputs ${hash.digest('hex')}\n`;

if (!existsSync(target) || !readFileSync(target, 'utf8').startsWith(header)) {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const draft = new URL(`${target.href}.${process.pid}`);
  writeFileSync(draft, header + astToString(await openapiTS(document)));
  renameSync(draft, target);
  console.log('src/lib/api/schema.d.ts: made from openapi.json');
}
