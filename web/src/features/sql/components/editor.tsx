// A plain text area with colours behind it and suggestions at its caret: the browser's own editing stays whole.
import {
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
} from 'react';
import { cx } from '@/lib/cx';
import type { Fault } from '../lib/fault';
import { complete, pieces, type Completion, type Piece } from '../lib/language';
import type { SqlSchema } from '../api/queries';

export interface EditorHandle {
  /** Replaces the whole text; the browser's undo restores it. */
  readonly replace: (text: string) => void;
  /** Where the caret is. */
  readonly insert: (text: string) => void;
  readonly select: (from: number, to: number) => void;
}

interface Props {
  readonly ref?: Ref<EditorHandle>;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onRun: () => void;
  readonly schema: SqlSchema | undefined;
  /** What an error speaks of: it is underlined. */
  readonly fault?: Fault | null;
}

const COLOURS: Record<Piece['kind'], string> = {
  plain: '',
  keyword: 'text-brand font-medium',
  function: 'text-[var(--c-sql-function)]',
  text: 'text-good',
  number: 'text-warn',
  comment: 'text-muted italic',
  table: 'text-[var(--c-sql-table)]',
};
const TEXT = 'font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap break-words [tab-size:2] p-3';

export function Editor({ ref, value, onChange, onRun, schema, fault = null }: Props) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const mark = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const nextCaret = useRef<number | null>(null);
  const writing = useRef(false);
  const [caret, setCaret] = useState(0);
  const [open, setOpen] = useState<Completion | null>(null);
  const [active, setActive] = useState(0);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  const names = useMemo(() => new Set(schema?.tables.map((table) => table.name)), [schema]);
  const coloured = useMemo(() => pieces(value, names), [value, names]);

  useLayoutEffect(() => {
    if (nextCaret.current === null) return;
    area.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  }, [value]);
  useLayoutEffect(() => {
    if (!open || !mark.current) return;
    setPlace({ left: mark.current.offsetLeft, top: mark.current.offsetTop + 22 });
  }, [open, caret]);
  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView?.({ block: 'nearest' });
  }, [active, open]);

  const look = (text: string, at: number, asked = false) => {
    setCaret(at);
    setActive(0);
    setOpen(schema ? complete(text, at, schema.tables, schema.functions, asked) : null);
  };
  /** As if typed, so that undo knows it. */
  const write = (from: number, to: number, text: string) => {
    const field = area.current;
    if (!field) return;
    setOpen(null);
    field.focus();
    field.setSelectionRange(from, to);
    writing.current = true;
    const typed =
      typeof document.execCommand === 'function' &&
      document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
    writing.current = false;
    if (typed) return;
    nextCaret.current = from + text.length;
    onChange(value.slice(0, from) + text + value.slice(to));
    setCaret(nextCaret.current);
  };
  const accept = (index: number) => {
    const chosen = open?.suggestions[index];
    if (open && chosen) write(open.from, caret, chosen.kind === 'function' ? `${chosen.text}(` : chosen.text);
  };
  useImperativeHandle(ref, () => ({
    replace: (text) => write(0, value.length, text),
    insert: (text) => {
      const [from, to] = [area.current?.selectionStart ?? value.length, area.current?.selectionEnd ?? value.length];
      write(from, to, /[\w)]$/.test(value.slice(0, from)) ? ` ${text}` : text);
    },
    select: (from, to) => {
      area.current?.focus();
      area.current?.setSelectionRange(from, to);
    },
  }));
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setOpen(null);
      onRun();
    } else if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      look(value, event.currentTarget.selectionStart, true);
    } else if (open) {
      const count = open.suggestions.length;
      if (event.key === 'ArrowDown') setActive((active + 1) % count);
      else if (event.key === 'ArrowUp') setActive((active + count - 1) % count);
      else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) accept(active);
      else if (event.key === 'Escape') setOpen(null);
      else {
        if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) setOpen(null);
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    }
  };

  const lines = value.split('\n').length;
  return (
    <div className="relative rounded-lg border border-line bg-canvas focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-brand">
      <label htmlFor={id} className="sr-only">
        SQL
      </label>
      <div className="max-h-[50vh] overflow-y-auto rounded-lg">
        <div className="relative min-h-44">
          <pre aria-hidden className={cx(TEXT, 'pointer-events-none m-0 min-h-44')}>
            {behind(coloured, caret, mark, fault)}
            {value.endsWith('\n') || value === '' ? ' ' : ''}
          </pre>
          <textarea
            ref={area}
            id={id}
            value={value}
            rows={lines}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            autoCorrect="off"
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={open ? `${id}-list` : undefined}
            aria-activedescendant={open ? `${id}-${active}` : undefined}
            aria-describedby={`${id}-keys`}
            className={cx(
              TEXT,
              'absolute inset-0 size-full resize-none overflow-hidden bg-transparent text-transparent caret-[var(--c-text)] focus:outline-none',
            )}
            onChange={(event) => {
              onChange(event.target.value);
              if (writing.current) setCaret(event.target.selectionStart);
              else look(event.target.value, event.target.selectionStart);
            }}
            onKeyDown={press}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onBlur={() => setOpen(null)}
          />
        </div>
      </div>
      {open && (
        <div
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label="Suggestions"
          className="absolute z-sticky max-h-56 w-72 max-w-[calc(100%-8px)] overflow-y-auto rounded-lg border border-line bg-raised py-1 shadow-pop"
          style={{ left: `max(4px, min(${place.left}px, 100% - 18.5rem))`, top: Math.min(place.top, 400) }}
        >
          {open.suggestions.map((one, index) => (
            <div
              key={`${one.kind} ${one.text}`}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={cx('flex cursor-pointer items-baseline gap-3 px-3 py-1', index === active && 'bg-brand-soft')}
              onMouseDown={(event) => {
                event.preventDefault();
                accept(index);
              }}
            >
              <span className="shrink-0 font-mono text-[0.8125rem]">{one.text}</span>
              <span className="min-w-0 flex-1 truncate text-right text-xs text-muted">{one.detail}</span>
            </div>
          ))}
        </div>
      )}
      <p id={`${id}-keys`} className="sr-only">
        Control and Enter run the statement. Control and Space show suggestions; arrow keys select one, Enter inserts
        it, Escape closes the list.
      </p>
      <p role="status" className="sr-only">
        {open ? `${open.suggestions.length} suggestions, ${open.suggestions[active]?.text ?? ''}` : ''}
      </p>
    </div>
  );
}

/** The highlighted text with an empty mark at the caret, whose position can be measured. */
function behind(
  coloured: readonly Piece[],
  caret: number,
  mark: React.RefObject<HTMLSpanElement | null>,
  fault: Fault | null,
) {
  const cuts = [caret, ...(fault ? [fault.from, fault.to] : [])].sort((a, b) => a - b);
  const found: React.ReactNode[] = [];
  let at = 0;
  let marked = false;
  for (const [index, piece] of coloured.entries()) {
    const end = at + piece.text.length;
    const edges = [at, ...cuts.filter((cut) => cut > at && cut < end), end];
    for (const [place, from] of edges.slice(0, -1).entries()) {
      if (!marked && caret <= from) {
        found.push(<span key="mark" ref={mark} />);
        marked = true;
      }
      const to = edges[place + 1] ?? end;
      const wrong = fault !== null && from >= fault.from && to <= fault.to;
      found.push(
        <span
          key={`${index} ${place}`}
          className={cx(
            COLOURS[piece.kind],
            wrong && 'bg-bad-soft underline decoration-bad decoration-wavy underline-offset-2',
          )}
        >
          {piece.text.slice(from - at, to - at)}
        </span>,
      );
    }
    at = end;
  }
  if (!marked) found.push(<span key="mark" ref={mark} />);
  return found;
}
