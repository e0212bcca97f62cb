// The API documentation: the guides of docs/ and every endpoint of the OpenAPI document.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { partsOf, Prose } from '@/components/prose';
import { ErrorBox, Loading } from '@/components/data/states';
import { Badge, type Tone } from '@/components/ui/badge';
import { surface } from '@/components/ui/card';
import { SearchField } from '@/components/ui/search-field';
import type { Text } from '@/lib/content';
import { cx } from '@/lib/cx';
import { openApiQuery, type Call, type Field } from '../lib/openapi';

export const PARTS = ['tracking', 'conversions', 'analytics', 'calls'] as const;
export type Part = (typeof PARTS)[number];
export const isPart = (text: string | undefined): text is Part => PARTS.some((part) => part === text);

const NAMES: Readonly<Record<Part, { readonly name: string; readonly text: string }>> = {
  tracking: { name: 'Tracking API', text: 'Report clicks, page views and sales.' },
  conversions: { name: 'Conversions and money', text: 'Terms, holds, statements.' },
  analytics: { name: 'Analytics API', text: 'Read reports, lists and the live stream.' },
  calls: { name: 'All endpoints', text: 'Every endpoint, from the OpenAPI description.' },
};

/** `text`: the guide of the part; none for the list of calls. */
export function ApiDocs({ part, text }: { readonly part: Part; readonly text: Text | null }) {
  return (
    <div className="mx-auto grid max-w-7xl gap-8 px-4 py-8 sm:px-6 sm:py-12 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <nav aria-label="API documentation" className="lg:sticky lg:top-20 lg:self-start">
        <ul className="flex flex-col gap-1 max-lg:grid max-lg:grid-cols-2">
          {PARTS.map((item) => (
            <li key={item}>
              <Link
                to="/docs/api"
                search={item === 'tracking' ? {} : { part: item }}
                aria-current={item === part ? 'page' : undefined}
                className="block rounded-lg px-3 py-2 hover:bg-sunken aria-[current=page]:bg-brand-soft aria-[current=page]:text-brand"
                activeOptions={{ exact: true, includeSearch: true }}
              >
                <span className="block font-medium">{NAMES[item].name}</span>
                <span className={cx('block text-[0.8125rem] max-sm:hidden', item !== part && 'text-muted')}>
                  {NAMES[item].text}
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {text && (
          <ul className="mt-5 hidden flex-col gap-1.5 border-l border-line lg:flex">
            {partsOf(text.blocks).map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`} className="block pl-3 text-[0.8125rem] text-muted hover:text-text">
                  {title.replaceAll('`', '')}
                </a>
              </li>
            ))}
          </ul>
        )}
      </nav>
      <div className="min-w-0">
        <h1 className="text-3xl font-semibold tracking-tight">{text?.title ?? 'All endpoints'}</h1>
        {text ? <Prose blocks={text.blocks} className="max-w-4xl" /> : <Calls />}
      </div>
    </div>
  );
}

function Calls() {
  const { data, error, refetch } = useQuery(openApiQuery);
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (call: Call) =>
    words.every((word) => `${call.method} ${call.path} ${call.title} ${call.text}`.toLowerCase().includes(word));
  const groups = (data ?? [])
    .map((group) => ({ ...group, calls: group.calls.filter(fits) }))
    .filter((group) => group.calls.length > 0);
  return (
    <>
      <p className="mt-3 text-base text-muted">
        Requests and responses are JSON; errors are <code>application/problem+json</code> with a stable{' '}
        <code>code</code>. For machines:{' '}
        <a href="/api/openapi.json" className="text-brand underline underline-offset-2">
          openapi.json
        </a>
        .
      </p>
      {error && (
        <ErrorBox
          error={error}
          prefix="The list of endpoints could not be loaded"
          onRetry={() => void refetch()}
          className="mt-6"
        />
      )}
      {!data && !error && <Loading label="Loading endpoints…" />}
      {data && (
        <div className="mt-6 flex flex-wrap items-center gap-3">
          <SearchField label="Search endpoints" value={search} onChange={setSearch} />
          <p role="status" className="text-muted">
            {groups.reduce((sum, group) => sum + group.calls.length, 0)} calls
          </p>
        </div>
      )}
      {data && groups.length === 0 && <p className="mt-6 text-muted">No endpoints match your search.</p>}
      {groups.map((group) => (
        <section key={group.name} aria-label={group.name} className="mt-8">
          <h2 className="mb-3 text-xl font-semibold">{group.name}</h2>
          <ul className="flex flex-col gap-2">
            {group.calls.map((call) => (
              <li key={call.id}>
                <One call={call} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

const TONES: Readonly<Record<string, Tone>> = { GET: 'good', POST: 'brand', PUT: 'warn', PATCH: 'warn', DELETE: 'bad' };

function One({ call }: { readonly call: Call }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={cx(surface, 'px-4 py-3')} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer list-none items-start gap-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className={cx('mt-0.5 size-4 shrink-0 text-muted transition-transform', open && 'rotate-90')}
        />
        <span className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
          <Badge tone={TONES[call.method] ?? 'neutral'}>{call.method}</Badge>
          <code className="text-[0.8125rem] font-medium [overflow-wrap:anywhere]">{call.path}</code>
          <span className="text-muted">{call.title}</span>
        </span>
      </summary>
      {open && (
        <div className="mt-3 flex flex-col gap-4 border-t border-line pt-3">
          {call.text && <p className="whitespace-pre-line">{call.text.replaceAll('`', '')}</p>}
          <Fields
            title="Parameters"
            fields={call.parameters.map((item) => ({
              ...item,
              name: item.place === 'query' ? item.name : `${item.name} (${item.place})`,
            }))}
          />
          <Fields title="Body" fields={call.body} />
          <Fields
            title="Responses"
            fields={call.answers.map((item) => ({
              name: item.status,
              type: item.type,
              required: false,
              text: item.text,
            }))}
          />
        </div>
      )}
    </details>
  );
}

function Fields({ title, fields }: { readonly title: string; readonly fields: readonly Field[] }) {
  if (fields.length === 0) return null;
  return (
    <div>
      <p className="mb-1.5 font-semibold">{title}</p>
      <dl className="grid gap-x-4 gap-y-1.5 text-[0.8125rem] sm:grid-cols-[minmax(8rem,auto)_1fr]">
        {fields.map((field) => (
          <div key={field.name} className="contents">
            <dt className="[overflow-wrap:anywhere]">
              <code className="font-medium">{field.name}</code>
              {field.required && <span className="text-muted"> required</span>}
            </dt>
            <dd className="text-muted [overflow-wrap:anywhere] max-sm:mb-1.5">
              <code>{field.type}</code>
              {field.text && ` ${field.text}`}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
