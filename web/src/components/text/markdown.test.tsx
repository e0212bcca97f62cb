import { render, screen } from '@testing-library/react';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { expect, test } from 'vitest';
import { Markdown } from './markdown';

async function drawn(text: string, handles: readonly string[] = []) {
  const root = createRootRoute({
    component: () => <Markdown text={text} mentions={handles.map((handle) => ({ handle }))} />,
  });
  const { container } = render(
    <RouterProvider
      router={createRouter({ routeTree: root, history: createMemoryHistory({ initialEntries: ['/'] }) }) as never}
    />,
  );
  await screen.findByText((_, element) => element?.className.includes('leading-6') ?? false);
  return container;
}

test('paragraphs, emphasis, lists, tables, quotations and code', async () => {
  const page = await drawn(
    '# Head\n\n**bold** ~~gone~~ `code`\n\n- [x] done\n- [ ] open\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nlet x = 1;\n```',
  );
  expect(screen.getByRole('heading', { level: 3, name: 'Head' })).toBeInTheDocument();
  expect(page.querySelector('strong')).toHaveTextContent('bold');
  expect(screen.getAllByRole('listitem')[0]).toHaveTextContent('☑ done');
  expect(screen.getByRole('cell', { name: '2' })).toBeInTheDocument();
  expect(page.querySelector('blockquote')).toHaveTextContent('said');
  expect(page.querySelector('pre')).toHaveTextContent('let x = 1;');
});

test('links of strangers are marked so, and images are links', async () => {
  await drawn('[out](https://example.com/) ![a cat](https://img.example/cat.png)');
  const link = screen.getByRole('link', { name: 'out' });
  expect(link).toHaveAttribute('rel', 'nofollow ugc noopener');
  expect(screen.getByRole('link', { name: 'a cat' })).toHaveAttribute('href', 'https://img.example/cat.png');
  expect(screen.queryByRole('img')).toBeNull();
});

test.each(['//evil.example', '/\\evil.example', '\\\\evil.example', 'evil.example', 'mailto:a@b.example', '#clobber'])(
  'no link, since it is neither of this site nor http: %s',
  async (href) => {
    const page = await drawn(`[out](<${href}>) and [in](/help)`);
    expect([...page.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['/help']);
  },
);

test('who is mentioned is a link to their profile; others, code and addresses are left alone', async () => {
  const page = await drawn('Thanks @ada-byron, see `@ada-byron` and @nobody, mail ada@ada-byron.is, @Ada-Byron.', [
    'ada-byron',
  ]);
  const links = screen.getAllByRole('link', { name: /^@ada/i });
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['@ada-byron', '/forum/member/ada-byron'],
    ['@Ada-Byron', '/forum/member/ada-byron'],
  ]);
  expect(page.querySelector('code')).toHaveTextContent('@ada-byron');
});

const HARMFUL = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:msgbox(1))',
  '![x](javascript:alert(1))',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '<a href="javascript:alert(1)">x</a>',
  '<style>*{display:none}</style>',
  '<form action="https://evil.example"><input name=q></form>',
  '<base href="https://evil.example/">',
  '[x](&#106;avascript:alert(1))',
  '`<b>`<img src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<math><mtext><script>alert(1)</script></mtext></math>',
  '[x](https://e.example "onmouseover=alert(1)")',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '> <script>alert(1)</script>',
  '- <object data="javascript:alert(1)">',
  '<input type=image src=x onerror=alert(1)>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
];
test.each(HARMFUL)('nothing runs: %s', async (text) => {
  const page = await drawn(text);
  expect(
    page.querySelector('script, img, svg, iframe, object, style, form, input, base, meta, math, details, embed, link'),
  ).toBeNull();
  for (const element of page.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      expect(name.startsWith('on')).toBe(false);
      if (name === 'href') expect(value).toMatch(/^(https?:\/\/|\/)/);
    }
  }
});
