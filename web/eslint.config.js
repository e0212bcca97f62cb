import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const features = ['account', 'accounts-admin', 'admin', 'analytics', 'auth', 'conversions', 'dashboard', 'forum', 'insights', 'leads', 'links', 'live', 'marketplace', 'notifications', 'operations', 'site', 'sql', 'website-admin', 'websites'];
const zone = (files, patterns, message) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: patterns, message }] }] },
});

export default tseslint.config(
  { ignores: ['dist', 'src/lib/api/schema.d.ts', 'test-results'] },
  ...tseslint.configs.strict,
  { files: ['src/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
  { files: ['src/**/*.{ts,tsx}'], rules: { eqeqeq: 'error', 'no-console': 'error' } },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/lib/**', 'src/test/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'No raw HTML in the page.' },
      ],
    },
  },
  zone(
    ['src/lib/**', 'src/components/**', 'src/stores/**'],
    ['@/features/*', '@/app/*'],
    'Shared code knows no feature and no app code.',
  ),
  ...features.map((name) =>
    zone(
      [`src/features/${name}/**`],
      ['@/app/*', ...features.filter((other) => other !== name).map((other) => `@/features/${other}/*`)],
      'A feature knows no other feature and no app code: compose them in app/pages.',
    ),
  ),
);
