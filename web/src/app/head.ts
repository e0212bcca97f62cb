// What the document says about the page that is shown: its title, and for pages that everybody may read a description
// and the address under which they are known.
import type { AnyRouteMatch } from '@tanstack/react-router';
import { PRODUCT } from './product';

export interface Head {
  readonly title: string;
  /** None: not for search engines. */
  readonly description: string | null;
}

interface WithArticle {
  readonly article: { readonly card: { readonly title: string; readonly description: string } };
}

const TAGLINE = 'Everything for affiliate marketing, counted once';

/** By the innermost of the routes that match. */
export function headOf(matches: readonly AnyRouteMatch[]): Head {
  const match = matches.findLast(
    (item) => item.staticData.title || item.staticData.site || hasArticle(item.loaderData),
  );
  if (match && hasArticle(match.loaderData)) {
    const { title, description } = match.loaderData.article.card;
    return { title: `${title} · ${PRODUCT}`, description };
  }
  const own = match?.staticData.title;
  return {
    title: own ? `${own} · ${PRODUCT}` : `${PRODUCT} · ${TAGLINE}`,
    description: match?.staticData.site?.description ?? null,
  };
}

const hasArticle = (data: unknown): data is WithArticle =>
  typeof data === 'object' && data !== null && 'article' in data;

/** Writes it into the document. Tags that only other sites' programs read are in the built documents alone. */
export function showHead({ title, description }: Head, path: string): void {
  document.title = title;
  tag('meta', 'name', 'description').setAttribute(
    'content',
    description ?? `${PRODUCT}: exact, live analytics for affiliate websites.`,
  );
  if (description === null) {
    showNotFound();
    return;
  }
  tag('meta', 'name', 'robots').setAttribute('content', 'index, follow');
  tag('link', 'rel', 'canonical').setAttribute(
    'href',
    `${window.location.origin}${path === '/' ? '/' : path.replace(/\/+$/, '')}`,
  );
}

const TEXT_LENGTH = 160;

/** The start of member text as the page's description. */
export function showText(text: string): void {
  const line = text.replace(/\s+/g, ' ').trim();
  const short = line.length > TEXT_LENGTH ? `${line.slice(0, TEXT_LENGTH).replace(/\s\S*$/, '')} …` : line;
  tag('meta', 'name', 'description').setAttribute('content', short);
}

/** Nothing for search engines. */
export function showNotFound(): void {
  tag('meta', 'name', 'robots').setAttribute('content', 'noindex');
  document.head.querySelector('link[rel=canonical]')?.remove();
}

function tag(kind: 'meta' | 'link', attribute: string, value: string): Element {
  const found = document.head.querySelector(`${kind}[${attribute}="${value}"]`);
  if (found) return found;
  const made = document.createElement(kind);
  made.setAttribute(attribute, value);
  document.head.append(made);
  return made;
}
