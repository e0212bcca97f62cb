// Markdown with colors. It has no undo of its own: the document's history covers it.
import { defaultKeymap } from '@codemirror/commands';
import {
  defineLanguageFacet,
  HighlightStyle,
  Language,
  languageDataProp,
  syntaxHighlighting,
} from '@codemirror/language';
import { Annotation, Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { GFM, parser } from '@lezer/markdown';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useRef } from 'react';
import { Select } from '@/components/ui/field';
import { cx } from '@/lib/cx';
import { linksQuery, MAX_TARGETS } from '../api/sites';
import { pageNames } from '../lib/markdown-names';
import { references, type NameOf } from './markdown-references';
import { isIn, useBlockContext } from './block-context';

interface Props {
  readonly label: string;
  readonly path: string;
  readonly value: string;
  readonly rows: number;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

const data = defineLanguageFacet();
const markdown = new Language(
  data,
  parser.configure([GFM, { props: [languageDataProp.add((type) => (type.isTop ? data : undefined))] }]),
  [],
  'markdown',
);

const fromOutside = Annotation.define<boolean>();

const look = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--c-brand)' },
  { tag: [tags.monospace, tags.quote], color: 'var(--c-muted)' },
  { tag: tags.processingInstruction, color: 'var(--c-muted)' },
]);

const theme = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--c-text)', padding: '0.5rem 0.25rem' },
});

export function MarkdownEditor({ label, path, value, rows, error, onChange }: Props) {
  const { wanted, pages, websiteId } = useBlockContext();
  const links = useQuery(linksQuery(websiteId)).data;
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const attributes = useRef(new Compartment());
  const named = useRef(new Compartment());
  const change = useRef(onChange);
  const first = useRef(value);
  useEffect(() => {
    change.current = onChange;
  }, [onChange]);
  useEffect(() => {
    if (!host.current) return;
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.lineWrapping,
          keymap.of(defaultKeymap), // without Tab, which leaves the field
          markdown,
          syntaxHighlighting(look),
          theme,
          attributes.current.of([]),
          named.current.of([]),
          EditorView.updateListener.of((update) => {
            const isTyped = update.transactions.some((transaction) => !transaction.annotation(fromOutside));
            if (update.docChanged && isTyped) change.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    view.current?.dispatch({
      effects: attributes.current.reconfigure(
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-describedby': error ? `${id}-error ${id}-hint` : `${id}-hint`,
          ...(error ? { 'aria-invalid': 'true' } : {}),
          spellcheck: 'true',
        }),
      ),
    });
  }, [label, error, id]);
  const nameOf = useCallback<NameOf>(
    ({ kind, address }) => {
      if (kind === 'page') return pageNames(pages).get(address) ?? null;
      const link = links?.find(({ id }) => `link:${id}` === address);
      if (link) return `${link.partnerName}: ${link.slug}`;
      return links && links.length < MAX_TARGETS ? null : 'Tracked link';
    },
    [pages, links],
  );
  useEffect(() => {
    view.current?.dispatch({ effects: named.current.reconfigure(references(nameOf)) });
  }, [nameOf]);
  const insert = (address: string) => {
    const current = view.current;
    if (!current || !address) return;
    const { from, to } = current.state.selection.main;
    const kind = address.startsWith('page:') ? 'page' : 'link';
    const text = current.state.sliceDoc(from, to) || nameOf({ from: 0, to: 0, kind, address }) || 'Link';
    const made = `[${text.replaceAll(/[[\]]/g, '')}](${address})`;
    current.dispatch({ changes: { from, to, insert: made }, selection: { anchor: from + made.length } });
    current.focus();
  };
  // Undo, redo and other versions.
  useEffect(() => {
    const current = view.current;
    if (!current || current.state.doc.toString() === value) return;
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: value },
      annotations: fromOutside.of(true),
    });
  }, [value]);
  useEffect(() => {
    const current = view.current;
    const from = current && wanted && isIn(wanted.field, path) ? current.state.doc.toString().indexOf(wanted.text) : -1;
    if (!current || !wanted || from < 0) return;
    current.dispatch({ selection: { anchor: from, head: from + wanted.text.length }, scrollIntoView: true });
    current.focus();
  }, [wanted, path]);
  return (
    <div>
      <div className="mb-1.5 flex items-end justify-between gap-3">
        <span aria-hidden className="font-medium">
          {label}
        </span>
        <Select
          label={`Insert a link into ${label}`}
          className="max-w-40 text-[0.8125rem]"
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
      <div
        ref={host}
        style={{ minHeight: `${rows * 0.8}rem` }}
        className={cx(
          'rounded-lg border bg-surface px-2 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-brand',
          error ? 'border-bad' : 'border-line-strong/60',
        )}
      />
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      <p id={`${id}-hint`} className="mt-1.5 text-[0.8125rem] text-muted">
        Markdown: ## heading, **bold**, lists, tables, [text](https://…)
      </p>
    </div>
  );
}
