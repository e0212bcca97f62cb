import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { content } from './scripts/content.ts';

const backend = process.env.ALTHING_URL ?? 'http://127.0.0.1:8000';

// Small modules that many pages share travel together: over HTTP/1.1 fifty files of some hundred bytes each cost a page
// more time than the few kilobytes that it does not need of four larger ones.
const GROUPS = [
  { name: 'initial', tags: ['$initial' as const], priority: 3 },
  { name: 'icons', minShareCount: 8, test: /node_modules[\\/]lucide-react[\\/]/, priority: 2 },
  {
    name: 'base', minShareCount: 6, priority: 1,
    test: /[\\/]src[\\/](lib[\\/](dates|format|now|media|shared-queries)|components[\\/](data[\\/]table|ui[\\/]badge|charts[\\/]updated))/,
  },
];

export default defineConfig({
  plugins: [content(fileURLToPath(new URL('./content', import.meta.url))), react(), tailwindcss()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
      // In a browser it sets HTML, which the content security policy refuses: "&amp;" in a post would break the post.
      'decode-named-character-reference': fileURLToPath(new URL('./src/components/text/entities.ts', import.meta.url)),
    },
  },
  build: { manifest: true, target: 'es2022', sourcemap: false, rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } } },
  server: { fs: { allow: ['..'] }, proxy: { '/api': { target: backend, changeOrigin: false } } },
  test: {
    environment: 'jsdom',
    setupFiles: ['./src/test/setup.ts'],
    env: { TZ: 'UTC' },
    restoreMocks: true,
    testTimeout: 180_000,
  },
});
