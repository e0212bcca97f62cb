import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import jsxA11y from 'eslint-plugin-jsx-a11y-x';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const source = fileURLToPath(new URL('./src', import.meta.url));
const features = readdirSync(`${source}/features`);

const ZONES = [
  {
    target: ['lib', 'components', 'stores'].map((folder) => `${source}/${folder}`),
    from: [`${source}/features`, `${source}/app`],
    message: 'Shared code imports no feature and no app code.',
  },
  { target: `${source}/features`, from: `${source}/app`, message: 'A feature imports no app code.' },
  ...features.map((name) => ({
    target: `${source}/features/${name}`,
    from: `${source}/features`,
    except: [`./${name}`],
    message: 'A feature imports no other feature: compose them in app/pages.',
  })),
];

const NO_MUTATION = {
  name: '@tanstack/react-query',
  importNames: ['useMutation'],
  message: 'Write a `command` in `api/` of the feature and run it with `useCommand`.',
};
const NO_PAGES = {
  name: '@tanstack/react-query',
  importNames: ['infiniteQueryOptions', 'useInfiniteQuery', 'useSuspenseInfiniteQuery', 'InfiniteQueryObserver'],
  message: 'A list of pages is a `cursorQuery` in `api/` of the feature, read with `useCursorQuery`.',
};
const NO_CLIENT = {
  name: '@/lib/api/client',
  importNames: ['api'],
  message: 'Calls of the API stand in `api/` of the feature.',
};

const NO_MOCK = {
  name: 'msw',
  importNames: ['http', 'HttpResponse'],
  message: 'A mocked route is an `http` of `@/test/http`, typed by the OpenAPI document.',
};

const NO_FORM = {
  name: 'react-hook-form',
  importNames: ['useForm'],
  message: 'A form is a `useRequestForm` with the bounds of its request.',
};

const NO_OVERLAY = {
  name: 'radix-ui',
  importNames: [
    'AlertDialog',
    'ContextMenu',
    'Dialog',
    'DropdownMenu',
    'HoverCard',
    'Menubar',
    'NavigationMenu',
    'Popover',
    'Select',
    'Toast',
    'Tooltip',
  ],
  message: 'What opens over the page is a component of components/ui, on the one layer of overlays.',
};

const LOOSE_LAYER = String.raw`(^|[\s:!])-?z-(\[|\(|\d)`;
const NO_LOOSE_LAYER = [
  `Literal[value=/${LOOSE_LAYER}/]`,
  `TemplateElement[value.raw=/${LOOSE_LAYER}/]`,
  "Property[key.name='zIndex']",
].map((selector) => ({ selector, message: 'Layers are those of src/styles.css, such as z-overlay.' }));

const NO_HTML = {
  selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
  message: 'No raw HTML in the page.',
};
const NO_FORM_ELEMENT = {
  selector: "JSXOpeningElement[name.name='form']",
  message: 'A form is a `Form` of components/form, or a `LocalForm` where it sends no command.',
};
export default tseslint.config(
  { ignores: ['dist', 'src/lib/api/schema.d.ts', 'src/lib/api/request-schemas.ts', 'test-results'] },
  ...tseslint.configs.strict,
  { files: ['src/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
  { files: ['src/**/*.{ts,tsx}'], ...jsxA11y.configs.strict },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      // What scrolls must be reachable with the keyboard (WCAG 2.1.1), and has one of these roles for it.
      'jsx-a11y-x/no-noninteractive-tabindex': ['error', { roles: ['group', 'list', 'region', 'tabpanel'], tags: [] }],
      // Safari drops the role of a list without bullets.
      'jsx-a11y-x/no-redundant-roles': ['error', { ul: ['list'] }],
      // A text may stand two elements deep in its label.
      'jsx-a11y-x/label-has-associated-control': ['error', { depth: 3 }],
    },
  },
  { files: ['src/**/*.{ts,tsx}'], rules: { eqeqeq: 'error', 'no-console': 'error' } },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver-next': [createNodeResolver({ alias: { '@': [source] }, extensions: ['.ts', '.tsx', '.js'] })],
    },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': ['error', { zones: ZONES }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/lib/**', 'src/test/**', 'src/**/*.test.{ts,tsx}', 'src/components/form/use-request-form.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [NO_MUTATION, NO_PAGES, NO_CLIENT, NO_FORM, NO_OVERLAY] }] },
  },
  {
    files: ['src/components/ui/**/*.tsx', 'src/app/shell/palette.tsx'],
    ignores: ['src/**/*.test.tsx'],
    rules: { 'no-restricted-imports': ['error', { paths: [NO_MUTATION, NO_PAGES, NO_CLIENT, NO_FORM] }] },
  },
  { files: ['src/**/*.test.{ts,tsx}'], rules: { 'no-restricted-imports': ['error', { paths: [NO_MOCK] }] } },
  {
    files: ['src/features/*/api/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [NO_MUTATION, NO_PAGES, NO_OVERLAY] }] },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/lib/**', 'src/test/**'],
    rules: { 'no-restricted-syntax': ['error', NO_HTML, NO_FORM_ELEMENT, ...NO_LOOSE_LAYER] },
  },
  {
    files: ['src/components/form/*.tsx'],
    rules: { 'no-restricted-syntax': ['error', NO_HTML, ...NO_LOOSE_LAYER] },
  },
);
