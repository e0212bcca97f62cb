// npm can leave the platform packages of other systems out of package-lock.json; `npm ci` then refuses the lock
// everywhere. This adds each missing optional package with what its name says about os, cpu and libc.
// Run it after every `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = new Set([
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]);
const processors = new Set([
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]);

let added = 0;
for (const [parentPath, parent] of Object.entries(lock.packages)) {
  for (const [name, wanted] of Object.entries(parent.optionalDependencies ?? {})) {
    if (`node_modules/${name}` in lock.packages || `${parentPath}/node_modules/${name}` in lock.packages) continue;
    const parts = name.split(/[-/]/);
    const os = parts.filter((part) => systems.has(part));
    const cpu = parts.filter((part) => processors.has(part));
    if (os.length + cpu.length === 0) {
      console.warn(`no platform in the name, left out: ${name}`);
      continue;
    }
    lock.packages[`node_modules/${name}`] = {
      version: wanted.replace(/^[\^~]/, ''),
      ...(cpu.length ? { cpu } : {}),
      ...(parent.dev || parent.devOptional ? { dev: true } : {}),
      ...(parts.includes('musl') ? { libc: ['musl'] } : {}),
      optional: true,
      ...(os.length ? { os } : {}),
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added} platform packages added`);
