// Part of `npm run lint`, since it needs no browser: the mock answers reads as the description of the API promises. Those
// with a parameter in their path are looked at while `axe.mjs` walks over the screens.
import { readFileSync } from 'node:fs';
import { lacks, startMock } from './mock-api.mjs';

const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const reads = Object.keys(paths).filter((path) => path.startsWith('/api/') && paths[path].get && !path.includes('{'));
/** What some reads need. */
const QUERY = '?websiteId=w1&timeRange=7d&by=source&metrics=clicks&month=2026-11&of=clicks';

for (const options of [{}, { empty: true }, { first: true }]) {
  const mock = await startMock(options);
  for (const path of reads.filter((name) => name !== '/api/platform/analytics/live'))
    await (await fetch(mock.url + path + QUERY)).text();
  mock.close();
}
for (const place of lacks) console.error(`the mock's answer lacks what the API promises: ${place}`);
process.exitCode = lacks.size > 0 ? 1 : 0;
