// A text in Markdown: the editor, and a list from which links to pages and tracked links are inserted.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useRef } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Select } from '@/components/ui/field';
import { linksQuery, MAX_TARGETS } from '../api/sites';
import { GONE, pageNames } from '../lib/markdown-names';
import { isIn, useBlockContext, useFault } from './block-context';
import { Lines } from './fields';
import type { Insert } from './markdown-editor';
import type { NameOf } from './markdown-references';

const MarkdownEditor = lazy(() => import('./markdown-editor').then((module) => ({ default: module.MarkdownEditor })));

interface Props {
  readonly label: string;
  readonly path: string;
  readonly value: string;
  readonly rows: number;
  readonly onChange: (value: string) => void;
}

/** A plain text area until the editor is loaded, and where it cannot be. */
export function MarkdownField(props: Props) {
  const { label, path, value, onChange } = props;
  const { wanted, pages, websiteId } = useBlockContext();
  const links = useQuery(linksQuery(websiteId)).data;
  const error = useFault(path);
  const editor = useRef<Insert>(null);
  const names = useMemo(() => pageNames(pages), [pages]);
  const nameOf = useCallback<NameOf>(
    ({ kind, address }) => {
      const link = kind === 'link' ? links?.find(({ id }) => `link:${id}` === address) : undefined;
      const name = link ? `${link.partnerName}: ${link.slug}` : names.get(address);
      // A link that is not among the first ones may exist.
      const isKnown = kind === 'page' || (links !== undefined && links.length < MAX_TARGETS);
      return name === undefined
        ? { name: isKnown ? GONE[kind] : 'Tracked link', isGone: isKnown }
        : { name, isGone: false };
    },
    [names, links],
  );
  const insert = (address: string) => {
    if (!address) return;
    const { name } = nameOf({ kind: address.startsWith('page:') ? 'page' : 'link', address });
    const made = (selected: string) => `[${(selected || name).replaceAll(/[[\]]/g, '')}](${address})`;
    if (editor.current) editor.current(made);
    else onChange(`${value}${made('')}`);
  };
  const plain = <Lines {...props} />;
  return (
    <div className="flex flex-col gap-2">
      <Boundary fallback={plain}>
        <Suspense fallback={plain}>
          <MarkdownEditor
            {...props}
            error={error}
            nameOf={nameOf}
            wanted={wanted && isIn(wanted.field, path) ? wanted : null}
            insert={editor}
          />
        </Suspense>
      </Boundary>
      <Select
        label={`Insert a link into ${label}`}
        className="self-start text-[0.8125rem]"
        value=""
        onChange={(event) => insert(event.target.value)}
      >
        <option value="">Insert link</option>
        <optgroup label="Pages">
          {pages.map(({ id, title, short_title }) => (
            <option key={id} value={`page:${id}`}>
              {short_title || title}
            </option>
          ))}
        </optgroup>
        {links && links.length > 0 && (
          <optgroup label="Tracked links">
            {links.map(({ id, slug, partnerName }) => (
              <option key={id} value={`link:${id}`}>{`${partnerName}: ${slug}`}</option>
            ))}
          </optgroup>
        )}
      </Select>
    </div>
  );
}
