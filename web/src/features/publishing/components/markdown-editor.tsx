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
import { useEffect, useId, useImperativeHandle, useRef, type Ref } from 'react';
import { cx } from '@/lib/cx';
import { references, type NameOf } from './markdown-references';

export type Insert = (made: (selected: string) => string) => void;

interface Props {
  readonly label: string;
  readonly value: string;
  readonly rows: number;
  readonly error: string | undefined;
  readonly nameOf: NameOf;
  /** A text that is to be selected: an object for each time. */
  readonly wanted: { readonly text: string } | null;
  /** Puts Markdown in place of the selection. `made` gets the selected text. */
  readonly insert: Ref<Insert>;
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

export function MarkdownEditor({ label, value, rows, error, nameOf, wanted, insert, onChange }: Props) {
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
  useEffect(() => {
    view.current?.dispatch({ effects: named.current.reconfigure(references(nameOf)) });
  }, [nameOf]);
  useImperativeHandle(insert, () => (made) => {
    const current = view.current;
    if (!current) return;
    const { from, to } = current.state.selection.main;
    const text = made(current.state.sliceDoc(from, to));
    current.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
    current.focus();
  });
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
    const from = current && wanted ? current.state.doc.toString().indexOf(wanted.text) : -1;
    if (!current || !wanted || from < 0) return;
    current.dispatch({ selection: { anchor: from, head: from + wanted.text.length }, scrollIntoView: true });
    current.focus();
  }, [wanted]);
  return (
    <div>
      <span aria-hidden className="mb-1.5 block font-medium">
        {label}
      </span>
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
