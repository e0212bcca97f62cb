// A text in Markdown with its preview, and suggestions for whom it mentions.
import { useQueries, useQuery } from '@tanstack/react-query';
import {
  useDeferredValue,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
} from 'react';
import { MemberText } from '@/components/text/member-text';
import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import { lengthOf, TEXT } from '../lib/limits';
import { handlesIn, openMention } from '../lib/mentions';
import { handlesQuery } from '../api/members';

export interface EditorHandle {
  /** Appends paragraphs to the text and sets the caret behind them. */
  readonly append: (text: string) => void;
  readonly focus: () => void;
}

interface Props {
  readonly ref?: Ref<EditorHandle>;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit: () => void;
  readonly error?: string | undefined;
  readonly rows?: number;
}

export function Editor({ ref, label, value, onChange, onSubmit, error, rows = 8 }: Props) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const nextCaret = useRef<number | null>(null);
  const [preview, setPreview] = useState(false);
  const [caret, setCaret] = useState(0);
  const [closed, setClosed] = useState(true);
  const [active, setActive] = useState(0);
  const mention = closed || preview ? null : openMention(value, caret);
  const typed = useDeferredValue(mention?.typed ?? '');
  const people = useQuery({ ...handlesQuery(typed), enabled: typed !== '' });
  // Previous results stay until the next response; those that no longer match are filtered out.
  const found = mention ? (people.data ?? []).filter((person) => person.handle?.startsWith(mention.typed)) : [];
  const named = preview ? handlesIn(value) : [];
  const mentions = useQueries({
    queries: named.map((handle) => handlesQuery(handle)),
    combine: (answers) =>
      answers.flatMap(({ data }, index) => data?.find((person) => person.handle === named[index]) ?? []),
  });

  useLayoutEffect(() => {
    if (nextCaret.current === null) return;
    area.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  }, [value]);
  useImperativeHandle(ref, () => ({
    append: (text) => {
      setPreview(false);
      const next = `${value.trimEnd()}${value.trim() ? '\n\n' : ''}${text}`;
      nextCaret.current = next.length;
      onChange(next);
      setTimeout(() => area.current?.focus(), 0);
    },
    focus: () => {
      setPreview(false);
      setTimeout(() => area.current?.focus(), 0);
    },
  }));

  const accept = (index: number) => {
    const handle = found[index]?.handle;
    if (!mention || !handle) return;
    const next = `${value.slice(0, mention.from)}@${handle} ${value.slice(caret)}`;
    nextCaret.current = mention.from + handle.length + 2;
    setCaret(nextCaret.current);
    setClosed(true);
    onChange(next);
    area.current?.focus();
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onSubmit();
    } else if (found.length > 0) {
      if (event.key === 'ArrowDown') setActive((active + 1) % found.length);
      else if (event.key === 'ArrowUp') setActive((active + found.length - 1) % found.length);
      else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) accept(active);
      else if (event.key === 'Escape') setClosed(true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const length = lengthOf(value);
  const notes = cx(error && `${id}-error`, `${id}-hint`);
  return (
    <div>
      <div className="mb-1.5 flex items-end justify-between gap-3">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <div
          role="group"
          aria-label={`${label}: view`}
          className="flex gap-1 rounded-lg bg-sunken p-0.5 text-[0.8125rem]"
        >
          <View pressed={!preview} onClick={() => setPreview(false)} label="Write" />
          <View pressed={preview} onClick={() => setPreview(true)} label="Preview" />
        </div>
      </div>
      <div className="relative">
        <textarea
          ref={area}
          id={id}
          rows={rows}
          value={value}
          hidden={preview}
          aria-invalid={error ? true : undefined}
          aria-describedby={notes}
          aria-autocomplete="list"
          aria-controls={found.length > 0 ? `${id}-people` : undefined}
          aria-activedescendant={found.length > 0 ? `${id}-person-${active}` : undefined}
          onChange={(event) => {
            setCaret(event.target.selectionStart);
            setClosed(false);
            setActive(0);
            onChange(event.target.value);
          }}
          onKeyDown={press}
          onBlur={() => setClosed(true)}
          className="block w-full resize-y rounded-lg border border-line-strong/60 bg-surface px-3 py-2 leading-6 hover:border-line-strong aria-invalid:border-bad"
        />
        {preview && (
          <div
            role="group"
            aria-label="Preview"
            className="min-h-40 rounded-lg border border-line bg-surface px-3 py-2"
          >
            {value.trim() ? (
              <MemberText text={value} mentions={mentions} />
            ) : (
              <p className="text-muted">Nothing to preview yet.</p>
            )}
          </div>
        )}
        {found.length > 0 && (
          <div
            id={`${id}-people`}
            role="listbox"
            aria-label="Members"
            className="absolute top-full left-0 z-sticky mt-1 w-[min(20rem,100%)] overflow-hidden rounded-xl border border-line bg-raised p-1 shadow-pop"
          >
            {found.map((person, index) => (
              <div
                key={person.id}
                id={`${id}-person-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                onMouseDown={(event) => {
                  event.preventDefault();
                  accept(index);
                }}
                className="flex cursor-pointer items-baseline gap-2 truncate rounded-lg px-2.5 py-1.5 aria-selected:bg-sunken"
              >
                <span className="font-medium">{person.name}</span>
                <span className="text-[0.8125rem] text-muted">@{person.handle}</span>
              </div>
            ))}
          </div>
        )}
      </div>
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      <p id={`${id}-hint`} className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-[0.8125rem] text-muted">
        <span>Markdown: **bold**, lists, tables, &gt; quotes, `code`. @handle mentions a member.</span>
        <span
          className={cx('tabular', length > TEXT.max && 'text-bad')}
        >{`${formatCount(length)} of ${formatCount(TEXT.max)}`}</span>
      </p>
    </div>
  );
}

function View({
  pressed,
  onClick,
  label,
}: {
  readonly pressed: boolean;
  readonly onClick: () => void;
  readonly label: string;
}) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onClick}
      className={cx(
        'rounded-md px-2.5 py-1 font-medium',
        pressed ? 'bg-surface text-text shadow-card' : 'text-muted hover:text-text',
      )}
    >
      {label}
    </button>
  );
}
