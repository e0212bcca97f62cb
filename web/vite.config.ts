import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import './scripts/api-types.mjs';
import { content } from './scripts/content.ts';
import { world } from './scripts/world.ts';

const backend = process.env.ALTHING_URL ?? 'http://127.0.0.1:8000';

// What pages share travels in few files: over HTTP/1.1 a browser requests six at a time, and thirty files of some hundred
// bytes each cost a page more time than the few kilobytes that it does not need of five larger ones. A module goes to the
// first group that takes it, with whatever it imports that no group above has: what is small and everywhere stands first.
const GROUPS = [
  { name: 'initial', tags: ['$initial' as const] },
  // Only the pages that sell something have these; `common` is counted with the first load.
  {
    name: 'offers',
    minShareCount: 1,
    test: /node_modules[\\/]lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/](microscope|life-buoy|heart-handshake|pen-line)\./,
  },
  {
    name: 'common',
    minShareCount: 4,
    test: /node_modules[\\/](lucide-react|@tanstack)[\\/]|[\\/]src[\\/](lib[\\/](api[\\/](command|live)|browser[\\/](clipboard|idle|media)|dates[\\/](index|now|relative-time)|format[\\/]index)|components[\\/](data[\\/](?!paged|more|below|opened)|charts[\\/](sparkline|updated)|ui[\\/](badge|card|field|copy-field|in-view|late-menu))|app[\\/](use-title|pages[\\/](page|text-link)))/,
  },
  {
    name: 'entrance',
    minShareCount: 2,
    test: /[\\/]src[\\/](features[\\/]accounts[\\/]api[\\/]sign-in|components[\\/]security[\\/]factor|app[\\/]pages[\\/](entrance|one-time-code))\./,
  },
  {
    name: 'icons',
    minShareCount: 2,
    test: /node_modules[\\/]lucide-react[\\/]|[\\/]src[\\/]components[\\/]ui[\\/]late-popover/,
  },
  {
    name: 'primitives',
    minShareCount: 10,
    test: /node_modules[\\/]@radix-ui[\\/](primitive|react-(compose-refs|context|direction|id|presence|primitive|slot|use-[a-z-]+))[\\/]/,
  },
  { name: 'dialog', minShareCount: 20, test: /[\\/]src[\\/]components[\\/]ui[\\/](dialog|overlays)/ },
  { name: 'tabs', minShareCount: 5, test: /[\\/]src[\\/]components[\\/]ui[\\/]tabs/ },
  {
    name: 'forms',
    minShareCount: 4,
    test: /node_modules[\\/]react-hook-form[\\/]|[\\/]src[\\/](components[\\/]form[\\/](form\.|use)|lib[\\/](form[\\/]rules|api[\\/]request-schemas))/,
  },
  {
    name: 'lists',
    minShareCount: 2,
    test: /[\\/]src[\\/](components[\\/]form[\\/]local-form|lib[\\/](api[\\/]cursor-query|files[\\/]\w+|storage[\\/]remembered|labels[\\/]traffic-reasons)|components[\\/]data[\\/]more)\./,
  },
  {
    name: 'forum',
    minShareCount: 2,
    test: /[\\/]src[\\/]features[\\/]forum[\\/](api[\\/]|lib[\\/](search|suspension)|components[\\/](thread-list|member-name))/,
  },
  // Without the module that fetches dialogs when they are opened: other pages share what does so.
  {
    name: 'marketplace',
    minShareCount: 4,
    test: /[\\/]src[\\/]features[\\/]marketplace[\\/](?!components[\\/]dialogs)/,
  },
  { name: 'files', minShareCount: 2, test: /[\\/]src[\\/]lib[\\/](csv|download)\./ },
  {
    name: 'link-actions',
    minShareCount: 2,
    test: /[\\/]src[\\/]features[\\/]links[\\/]components[\\/](link-actions|dialogs)\./,
  },
  {
    name: 'figures',
    minShareCount: 2,
    test: /[\\/]src[\\/](features[\\/](analytics[\\/](api[\\/]analytics|components[\\/]kpi|hooks[\\/]use-live-refresh|lib[\\/](periods|search))|(accounts|insights|links|websites|conversions)[\\/]api[\\/](activity|invite-codes|insights|links|keys|conversions)|conversions[\\/]components[\\/]status-badge)|components[\\/]charts[\\/]chart-card|lib[\\/]labels[\\/]countries|app[\\/]pages[\\/](insight-link|no-websites))/,
  },
  {
    name: 'ledger',
    minShareCount: 2,
    test: /[\\/]src[\\/](features[\\/]conversions[\\/](api[\\/](ledger|totals)|components[\\/]unattributed-hint|lib[\\/](ranges|search))|app[\\/]pages[\\/]unattributed)\./,
  },
  {
    name: 'cards',
    minShareCount: 2,
    test: /[\\/]src[\\/]components[\\/](ui[\\/]use-visible|data[\\/]below|charts[\\/](axis|parts|point-picker))\./,
  },
  { name: 'notifications', minShareCount: 2, test: /[\\/]src[\\/]features[\\/]notifications[\\/]/ },
  { name: 'site', minShareCount: 6, test: /[\\/]src[\\/]features[\\/](site|leads)[\\/]/ },
].map((group, index, all) => ({ ...group, priority: all.length - index }));

export default defineConfig({
  plugins: [content(fileURLToPath(new URL('./content', import.meta.url))), world(), react(), tailwindcss()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
      // In a browser it sets HTML, which the content security policy refuses: "&amp;" in a post would break the post.
      'decode-named-character-reference': fileURLToPath(new URL('./src/components/text/entities.ts', import.meta.url)),
    },
  },
  build: {
    manifest: true,
    target: 'es2022',
    sourcemap: false,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
  server: { fs: { allow: ['..'] }, proxy: { '/api': { target: backend, changeOrigin: false } } },
  test: {
    environment: 'jsdom',
    setupFiles: ['./src/test/react.ts', './src/test/setup.ts'],
    env: { TZ: 'UTC' },
    restoreMocks: true,
    isolate: false,
    testTimeout: 120_000,
    reporters: ['default', ['json', { outputFile: '../.build/vitest.json' }]],
    // Of two cores it would leave one idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
