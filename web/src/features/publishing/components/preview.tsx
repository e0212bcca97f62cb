// The page as visitors will see it, rendered by the server, at three widths.
//
// The frame's sandbox allows no script, form, popup or navigation. It has the app's origin only so that the editor can
// keep its scroll position, see which block was clicked and edit texts in place; the content security policy of the app
// holds inside, too.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone, Tablet } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { ApiError } from '@/lib/api/errors';
import { cx } from '@/lib/cx';
import { useIsPhone } from '@/lib/browser/media';
import { previewQuery } from '../api/sites';
import type { PageDocument, SiteDocument } from '../lib/document';
import { editedText, editInPlace, focusedText, IN_PLACE_CSS, isText, type TextChange } from '../lib/edit-in-place';
import type { Placeholder } from '../lib/types';
import { showIn } from '../lib/trusted-html';

const WIDTHS = [
  { id: 'phone', label: 'Phone', width: 390, Icon: Smartphone },
  { id: 'tablet', label: 'Tablet', width: 768, Icon: Tablet },
  { id: 'desktop', label: 'Desktop', width: 1280, Icon: Monitor },
] as const;
const WAIT_MS = 500;

interface Props {
  readonly siteId: string;
  readonly pageId: string;
  /** Null: what is saved. */
  readonly page: PageDocument | null;
  readonly document: SiteDocument | null;
  /** The element of the block that is edited. */
  readonly anchor?: string | undefined;
  readonly onSelect?: (anchor: string) => void;
  /** A text of the page was edited where it stands; without it, none is. */
  readonly onText?: (change: TextChange) => void;
  /** Opens the next of the page's placeholders. */
  readonly onNext?: (places: readonly Placeholder[]) => void;
}

export function Preview({ siteId, pageId, page, document, anchor, onSelect, onText, onNext }: Props) {
  const isPhone = useIsPhone();
  const [width, setWidth] = useState<(typeof WIDTHS)[number]>(isPhone ? WIDTHS[0] : WIDTHS[2]);
  const shown = useRested(page, document);
  const rendered = useQuery({
    ...previewQuery(siteId, { pageId, ...shown }),
    placeholderData: keepPreviousData,
  });
  const { data, error } = rendered;
  const places = data?.placesToFill.filter((place) => place.pageId === pageId && place.placement) ?? [];
  // A draft that is not valid yet: the field says why.
  const isIncomplete = error instanceof ApiError && error.status === 400;
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Preview</h2>
        <div role="group" aria-label="Width of the preview" className="flex gap-1 rounded-lg bg-sunken p-1">
          {WIDTHS.map((choice) => (
            <button
              key={choice.id}
              type="button"
              aria-pressed={choice.id === width.id}
              onClick={() => setWidth(choice)}
              className={cx(
                'inline-flex items-center gap-1.5 rounded-md px-2.5 py-1 text-[0.8125rem] font-medium max-sm:min-h-10',
                choice.id === width.id ? 'bg-surface text-text shadow-card' : 'text-muted hover:text-text',
              )}
            >
              <choice.Icon aria-hidden className="size-4" />
              {choice.label}
            </button>
          ))}
        </div>
      </div>
      {isIncomplete && (
        <p role="status" className="text-[0.8125rem] text-warn">
          The preview shows the last valid version. {error.message}
        </p>
      )}
      {error && !isIncomplete && (
        <ErrorBox error={error} prefix="Error rendering the preview" onRetry={() => void rendered.refetch()} />
      )}
      {data ? (
        <Frame html={data.html} width={width.width} anchor={anchor} page={page} onSelect={onSelect} onText={onText} />
      ) : (
        !error && <Loading label="Rendering the preview" />
      )}
      {data && data.problems.length > 0 && (
        <ul aria-label="Problems" className="flex flex-col gap-1 text-[0.8125rem] text-warn">
          {data.problems.map(({ message, placement }) => (
            <li key={`${placement} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {places.length > 0 && (
        <div className="flex flex-wrap items-center gap-3 text-[0.8125rem] text-muted">
          <p>{places.length === 1 ? '1 placeholder to fill in' : `${places.length} placeholders to fill in`}</p>
          {onNext && (
            <Button size="sm" onClick={() => onNext(places)}>
              Next placeholder
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

interface FrameProps {
  readonly html: string;
  readonly width: number;
  readonly anchor: string | undefined;
  readonly page: PageDocument | null;
  readonly onSelect: ((anchor: string) => void) | undefined;
  readonly onText: ((change: TextChange) => void) | undefined;
}

function Frame({ html, width, anchor, page, onSelect, onText }: FrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const scrolled = useRef(0);
  const latest = useRef({ page, onSelect, onText });
  const edits = useRef(0);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    latest.current = { page, onSelect, onText };
  });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let focused: string | null = null;
    const show = () => {
      scrolled.current = element.contentWindow?.scrollY ?? 0;
      focused = window.document.activeElement === element ? focusedText(element.contentDocument) : null;
      element.addEventListener('load', loaded, { once: true });
      showIn(element, framed(html));
    };
    const loaded = () => {
      element.contentWindow?.scrollTo(0, scrolled.current);
      const shown = element.contentDocument;
      shown?.addEventListener('click', (event) => {
        event.preventDefault();
        if (isText(event.target)) return;
        const block = (event.target as Element | null)?.closest('[data-placement]');
        if (block) latest.current.onSelect?.(block.id);
      });
      if (shown && latest.current.onText)
        editInPlace(
          shown,
          () => latest.current.page?.blocks ?? [],
          (change) => {
            edits.current += 1;
            latest.current.onText?.(change);
          },
          focused,
        );
    };
    // A text that is being edited stays; what it becomes is shown by the next version of the page.
    const edited = editedText(element.contentDocument);
    const before = edits.current;
    const ended = () => {
      if (edits.current === before) show();
    };
    if (edited) edited.addEventListener('blur', ended, { once: true });
    else show();
    return () => {
      edited?.removeEventListener('blur', ended);
      element.removeEventListener('load', loaded);
    };
  }, [html]);
  useEffect(() => {
    const view = frame.current?.contentWindow;
    const section = anchor ? frame.current?.contentDocument?.getElementById(anchor) : null;
    if (view && section) view.scrollTo(0, view.scrollY + section.getBoundingClientRect().top - 24);
  }, [anchor]);
  const scale = size.width > 0 ? Math.min(1, size.width / width) : 1;
  return (
    <div
      ref={box}
      className="relative h-[calc(100dvh-13rem)] min-h-96 overflow-hidden rounded-xl border border-line bg-sunken"
    >
      <iframe
        ref={frame}
        title="Preview of the page"
        sandbox="allow-same-origin"
        style={{
          width,
          height: size.height / scale,
          transform: `scale(${scale})`,
          left: Math.max(0, (size.width - width * scale) / 2),
        }}
        className="absolute top-0 origin-top-left border-0 bg-white"
      />
    </div>
  );
}

/** Its links open nothing: new windows are what the sandbox stops without a trace. Published pages have their font beside
 *  them; here it is the app's. */
const framed = (html: string): string =>
  html.replace(/<head(\s[^>]*)?>/i, `$&<base target="_blank"><style>${fontOfApp()}${IN_PLACE_CSS}</style>`);

/** The declarations of the app's font under the name that sites have for it. */
const fontOfApp = (): string =>
  [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .map(({ cssText }) => cssText)
    .filter((text) => text.includes('Inter Variable'))
    .join('')
    .replaceAll('Inter Variable', 'Inter');

/** The documents once typing rests. */
function useRested(page: PageDocument | null, document: SiteDocument | null) {
  const [shown, setShown] = useState({ page, document });
  useEffect(() => {
    const timer = setTimeout(() => setShown({ page, document }), WAIT_MS);
    return () => clearTimeout(timer);
  }, [page, document]);
  return shown;
}
