// The text of an article (lib/content) as elements. Nothing of it is ever set as HTML.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-field';
import type { Block, Inline } from '@/lib/content';
import { cx } from '@/lib/cx';

export function Prose({ blocks, className }: { readonly blocks: readonly Block[]; readonly className?: string }) {
  return (
    <div className={cx('text-base leading-7', className)}>
      {blocks.map((block, index) => (
        <One key={index} block={block} />
      ))}
    </div>
  );
}

/** Headings of the second level: what an article is about, part by part. */
export const partsOf = (blocks: readonly Block[]): readonly { readonly id: string; readonly title: string }[] =>
  blocks.flatMap((block) => ('h' in block && block.h === 2 ? [{ id: block.id, title: plain(block.t) }] : []));

const plain = (parts: readonly Inline[]): string =>
  parts
    .map((part) =>
      typeof part === 'string'
        ? part
        : 'b' in part
          ? plain(part.b)
          : 'i' in part
            ? plain(part.i)
            : 'c' in part
              ? part.c
              : 'a' in part
                ? plain(part.t)
                : ' ',
    )
    .join('');

const HEADINGS = {
  2: 'mt-10 mb-3 text-2xl font-semibold scroll-mt-20',
  3: 'mt-7 mb-2 text-lg font-semibold scroll-mt-20',
  4: 'mt-5 mb-1 font-semibold scroll-mt-20',
} as const;

function One({ block }: { readonly block: Block }) {
  if ('h' in block) {
    const Tag = `h${block.h}` as const;
    return (
      <Tag id={block.id} className={HEADINGS[block.h]}>
        <Line parts={block.t} />
      </Tag>
    );
  }
  if ('p' in block)
    return (
      <p className="my-4">
        <Line parts={block.p} />
      </p>
    );
  if ('l' in block) return <List block={block} />;
  if ('code' in block) return <Code text={block.code} />;
  if ('q' in block) {
    return (
      <blockquote className="my-5 rounded-r-lg border-l-4 border-brand bg-brand-soft/60 px-4 py-0.5">
        {block.q.map((inner, index) => (
          <One key={index} block={inner} />
        ))}
      </blockquote>
    );
  }
  if ('th' in block) return <Rows block={block} />;
  return <hr className="my-8 border-line" />;
}

function List({ block }: { readonly block: Extract<Block, { l: unknown }> }) {
  const Tag = block.o ? 'ol' : 'ul';
  return (
    <Tag
      className={cx('my-4 flex flex-col gap-1.5 pl-6 marker:text-muted', block.o ? 'list-decimal' : 'list-disc')}
      {...(block.o && block.o > 1 ? { start: block.o } : {})}
    >
      {block.l.map((item, index) => (
        <li key={index} className="pl-1 [&>:first-child]:mt-0 [&>:last-child]:mb-0">
          {item.map((inner, at) =>
            'p' in inner && item.length === 1 ? <Line key={at} parts={inner.p} /> : <One key={at} block={inner} />,
          )}
        </li>
      ))}
    </Tag>
  );
}

function Code({ text }: { readonly text: string }) {
  return (
    <div className="my-5 flex items-start rounded-xl border border-line bg-sunken">
      <pre
        role="group"
        aria-label="Code"
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto rounded-xl p-4 text-[0.8125rem] leading-6"
      >
        <code>{text}</code>
      </pre>
      <div className="shrink-0 py-2.5 pr-2.5 pl-1">
        <CopyButton text={text} label="code" iconOnPhones />
      </div>
    </div>
  );
}

function Rows({ block }: { readonly block: Extract<Block, { th: unknown }> }) {
  return (
    <div role="group" aria-label="Table" tabIndex={0} className="my-5 overflow-x-auto rounded-xl border border-line">
      <table className="w-full border-collapse text-left text-sm leading-6">
        <thead className="bg-sunken">
          <tr>
            {block.th.map((cell, index) =>
              cell.length > 0 ? (
                <th key={index} scope="col" className="px-3.5 py-2.5 font-semibold">
                  <Line parts={cell} />
                </th>
              ) : (
                <td key={index} />
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {block.tr.map((row, at) => (
            <tr key={at} className="border-t border-line align-top">
              {row.map((cell, index) => (
                <td key={index} className="min-w-28 px-3.5 py-2.5">
                  <Line parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ parts }: { readonly parts: readonly Inline[] }): ReactNode {
  return parts.map((part, index) => {
    if (typeof part === 'string') return part;
    if ('b' in part)
      return (
        <strong key={index} className="font-semibold">
          <Line parts={part.b} />
        </strong>
      );
    if ('i' in part)
      return (
        <em key={index}>
          <Line parts={part.i} />
        </em>
      );
    if ('c' in part)
      return (
        <code key={index} className="rounded bg-sunken px-1 py-0.5 text-[0.875em] [overflow-wrap:anywhere]">
          {part.c}
        </code>
      );
    if ('a' in part)
      return (
        <Target key={index} href={part.a}>
          <Line parts={part.t} />
        </Target>
      );
    return <br key={index} />;
  });
}

const look = 'text-brand underline underline-offset-2 hover:no-underline';

function Target({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (href === '') return children;
  if (!href.startsWith('/') || href.startsWith('/api/')) {
    return (
      <a href={href} className={look} {...(href.startsWith('https:') ? { rel: 'noopener', target: '_blank' } : {})}>
        {children}
      </a>
    );
  }
  const { pathname, searchParams, hash } = new URL(href, 'https://own.invalid');
  return (
    <Link
      to={pathname}
      search={Object.fromEntries(searchParams)}
      {...(hash ? { hash: hash.slice(1) } : {})}
      className={look}
    >
      {children}
    </Link>
  );
}
