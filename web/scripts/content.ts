// Markdown to data at build time: every *.md becomes a module with its text as a tree of plain values, which
// `components/prose.tsx` draws without ever setting HTML. `virtual:content` is the list of all articles, without texts.
// What a page may not hold (raw HTML, images, odd links) fails the build.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { marked, type Token, type Tokens } from 'marked';
import type { Plugin } from 'vite';
import type { Block, Card, Inline, Kind, Text } from '../src/lib/content';

const KINDS: readonly Kind[] = ['blog', 'help', 'legal'];
const WORDS_A_MINUTE = 220;
/** Where the pages of docs/ stand in the app. */
const DOCS: Readonly<Record<string, string>> = {
  'custom-domains.md': '/help/custom-domain',
  'conversions.md': '/docs/api?part=conversions',
  'analytics-api.md': '/docs/api?part=analytics',
  'tracking-api.md': '/docs/api',
};
const LIST = 'virtual:content';

export function content(folder: string): Plugin {
  return {
    name: 'content',
    enforce: 'pre',
    resolveId: (id) => (id === LIST ? `\0${LIST}` : null),
    load(id) {
      if (id === `\0${LIST}`) return `export default ${JSON.stringify(cards(folder))}`;
      if (!id.endsWith('.md')) return null;
      this.addWatchFile(id);
      return `export default ${JSON.stringify(textOf(readFileSync(id, 'utf8'), relative(join(folder, '..'), id)))}`;
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'content.json', source: JSON.stringify(cards(folder)) });
    },
  };
}

/** Every article, in its kind's order: the blog by date, newest first; the others by `order`. */
export function cards(folder: string): Card[] {
  return KINDS.flatMap((kind) => {
    const path = join(folder, kind);
    const files = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.md')) : [];
    const found = files.map((name) => cardOf(kind, name.slice(0, -3), readFileSync(join(path, name), 'utf8')));
    return found.sort(
      (a, b) => (kind === 'blog' ? b.date.localeCompare(a.date) : a.order - b.order) || a.slug.localeCompare(b.slug),
    );
  });
}

function cardOf(kind: Kind, slug: string, source: string): Card {
  const where = `${kind}/${slug}.md`;
  const { head, body } = parted(source, where);
  const need = (name: string) => {
    const value = head[name];
    if (!value) throw new Error(`${where}: front matter lacks "${name}"`);
    return value;
  };
  const [title, description, date] = [need('title'), need('description'), need('date')];
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new Error(`${where}: date is not YYYY-MM-DD`);
  if (description.length > 200)
    throw new Error(`${where}: the description has ${description.length} characters, 200 at most`);
  const course = head['course'];
  return {
    kind,
    slug,
    title,
    description,
    date,
    order: Number(head['order'] ?? 0),
    minutes: Math.max(1, Math.round(body.split(/\s+/).length / WORDS_A_MINUTE)),
    ...(head['section'] ? { section: head['section'] } : {}),
    ...(course ? { course, lesson: Number(need('lesson')) } : {}),
  };
}

function parted(source: string, where: string): { head: Record<string, string>; body: string } {
  const found = /^---\n([\s\S]*?)\n---\n/.exec(source);
  if (!found) return { head: {}, body: source };
  const lines = (found[1] ?? '').split('\n').map((line) => {
    const at = line.indexOf(':');
    if (at < 1) throw new Error(`${where}: front matter has a line without a name: ${line}`);
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
  });
  return { head: Object.fromEntries(lines), body: source.slice(found[0].length) };
}

/** The tree of one file. A heading of the first level is its title, which the page renders separately. */
export function textOf(source: string, where: string): Text {
  const { head, body } = parted(source, where);
  const tokens = marked.lexer(body);
  const first = tokens.find((token) => token.type === 'heading' && (token as Tokens.Heading).depth === 1) as
    Tokens.Heading | undefined;
  const ids = new Set<string>();
  const read = reader(where, ids);
  return {
    title: head['title'] ?? first?.text ?? '',
    blocks: tokens.filter((token) => token !== first).flatMap(read.block),
  };
}

function reader(where: string, ids: Set<string>) {
  const refuse = (what: string, token: Token): never => {
    throw new Error(`${where}: ${what}: ${token.raw.trim().slice(0, 80)}`);
  };
  const line = (tokens: readonly Token[] | undefined): Inline[] => joined((tokens ?? []).flatMap(inline));
  function inline(token: Token): Inline[] {
    switch (token.type) {
      case 'text':
      case 'escape':
        return 'tokens' in token && token.tokens ? line(token.tokens) : [plain(token.text as string)];
      case 'strong':
        return [{ b: line(token.tokens) }];
      case 'em':
        return [{ i: line(token.tokens) }];
      case 'codespan':
        return [{ c: plain(token.text as string) }];
      case 'br':
        return [{ br: 1 }];
      case 'link':
        return [{ a: target(token as Tokens.Link), t: line(token.tokens) }];
      default:
        return refuse(`"${token.type}" is not allowed in a line`, token);
    }
  }
  function target(token: Tokens.Link): string {
    const { href } = token;
    const own = DOCS[href.replace(/#.*$/, '')];
    if (own) return own;
    if (/^(\/[^/\\]|#|https:\/\/|mailto:)/.test(href) || href === '/') return href;
    // Pages of docs/ that only operators need, and files of the repository, are not part of the site.
    return where.startsWith('../docs/') ? '' : refuse('a link leads nowhere', token);
  }
  function block(token: Token): Block[] {
    switch (token.type) {
      case 'space':
      case 'def':
        return [];
      case 'heading': {
        const { depth, text, tokens } = token as Tokens.Heading;
        return [{ h: Math.min(Math.max(depth, 2), 4) as 2 | 3 | 4, id: unused(slugOf(text), ids), t: line(tokens) }];
      }
      case 'paragraph':
      case 'text':
        return [{ p: line(token.tokens) }];
      case 'code':
        return [{ code: token.text as string, ...(token.lang ? { lang: token.lang as string } : {}) }];
      case 'blockquote':
        return [{ q: (token.tokens ?? []).flatMap(block) }];
      case 'list': {
        const { items, ordered, start } = token as Tokens.List;
        return [{ l: items.map((item) => item.tokens.flatMap(block)), ...(ordered ? { o: Number(start) || 1 } : {}) }];
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table;
        return [
          { th: header.map((cell) => line(cell.tokens)), tr: rows.map((row) => row.map((cell) => line(cell.tokens))) },
        ];
      }
      case 'hr':
        return [{ hr: 1 }];
      case 'html':
        return /^<!--[\s\S]*-->\s*$/.test(token.raw) ? [] : refuse('raw HTML', token);
      default:
        return refuse(`"${token.type}" is not allowed`, token);
    }
  }
  return { block };
}

/** Neighbouring pieces of text as one. */
function joined(parts: readonly Inline[]): Inline[] {
  return parts.reduce<Inline[]>((all, part) => {
    const last = all.at(-1);
    return typeof part === 'string' && typeof last === 'string' ? [...all.slice(0, -1), last + part] : [...all, part];
  }, []);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
};
const plain = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (found) => ENTITIES[found] ?? found).replaceAll('\n', ' ');
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'part';

function unused(id: string, ids: Set<string>): string {
  let name = id;
  for (let number = 2; ids.has(name); number += 1) name = `${id}-${number}`;
  ids.add(name);
  return name;
}
