// The same rules as on the server: a fixed set of elements, http and https only, no images, no raw HTML.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import Whole, { type Components, type Options } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { cx } from '@/lib/cx';
import { linkPeople, type Mention } from './markdown-tree';

const SCHEMA = {
  tagNames: [
    'p',
    'br',
    'strong',
    'em',
    'del',
    'a',
    'code',
    'pre',
    'blockquote',
    'ul',
    'ol',
    'li',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'input',
  ],
  attributes: { a: ['href'], ol: ['start'], input: [['type', 'checkbox'], 'checked'], th: ['align'], td: ['align'] },
  protocols: { href: ['http', 'https'] },
  strip: ['script', 'style'],
  required: {},
} satisfies Parameters<typeof rehypeSanitize>[0];

export function Markdown({ text, mentions }: { readonly text: string; readonly mentions: readonly Mention[] }) {
  const plugins: Options['remarkPlugins'] = [remarkGfm, linkPeople(mentions)];
  return (
    <div className="leading-6 [overflow-wrap:anywhere] [&>:first-child]:mt-0 [&>:last-child]:mb-0">
      <Whole remarkPlugins={plugins} rehypePlugins={[[rehypeSanitize, SCHEMA]]} components={ELEMENTS}>
        {text}
      </Whole>
    </div>
  );
}

const list = 'my-3 flex flex-col gap-1 pl-6 marker:text-muted';

/** Heading levels are shifted below those of the page to keep the outline valid. */
const heading = (look: string) =>
  function Heading({ children }: { readonly children?: ReactNode }) {
    return <h3 className={cx('mt-4 mb-1.5 font-semibold', look)}>{children}</h3>;
  };

const ELEMENTS: Components = {
  p: ({ children }) => <p className="my-3">{children}</p>,
  a: ({ href, children }) => <Target href={href}>{children}</Target>,
  h1: heading('text-lg'),
  h2: heading('text-base'),
  h3: heading(''),
  h4: heading(''),
  h5: heading(''),
  h6: heading(''),
  ul: ({ children }) => <ul className={cx(list, 'list-disc')}>{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className={cx(list, 'list-decimal')}>
      {children}
    </ol>
  ),
  // A read-only task checkbox is rendered as a symbol.
  input: ({ checked }) => <span>{checked ? '☑ ' : '☐ '}</span>,
  blockquote: ({ children }) => (
    <blockquote className="my-3 border-l-4 border-line-strong/50 pl-4 text-muted">{children}</blockquote>
  ),
  code: ({ children }) => (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.875em] in-[pre]:bg-transparent in-[pre]:p-0">
      {children}
    </code>
  ),
  pre: ({ children }) => (
    <pre
      role="group"
      aria-label="Code"
      tabIndex={0}
      className="my-3 overflow-x-auto rounded-lg border border-line bg-sunken p-3 text-[0.8125rem] leading-5 [overflow-wrap:normal]"
    >
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div role="group" aria-label="Table" tabIndex={0} className="my-3 overflow-x-auto rounded-lg border border-line">
      <table className="w-full border-collapse text-left">{children}</table>
    </div>
  ),
  thead: ({ children }) => <thead className="bg-sunken">{children}</thead>,
  tr: ({ children }) => <tr className="not-first:border-t border-line">{children}</tr>,
  th: ({ children }) =>
    children ? (
      <th scope="col" className="px-3 py-2 font-semibold">
        {children}
      </th>
    ) : (
      <td />
    ),
  td: ({ children }) => <td className="px-3 py-2 align-top">{children}</td>,
  hr: () => <hr className="my-5 border-line" />,
};

const look = 'font-medium text-brand underline-offset-2 hover:underline';

function Target({ href, children }: { readonly href: string | undefined; readonly children?: ReactNode }) {
  // "//host" and "/\\host" are addresses of other sites, and a path without a slash is none.
  if (!href || !/^(?:https?:\/\/|\/(?![/\\]|%5c))/i.test(href)) return children;
  if (/^\/forum\/[\w/-]+$/.test(href)) {
    return (
      <Link to={href} className={look}>
        {children}
      </Link>
    );
  }
  return (
    <a href={href} rel="nofollow ugc noopener" target="_blank" className={cx(look, 'underline')}>
      {children}
    </a>
  );
}
