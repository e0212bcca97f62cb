// What is changed in a text's tree before it is drawn: "@handle" becomes a link, an image a link to it, since images of
// strangers tell them who reads, and HTML the text that it is.

export interface Mention {
  readonly handle: string | null;
}

/** The parts of mdast used here. */
export interface Node {
  type: string;
  value?: string;
  url?: string;
  alt?: string | null;
  children?: Node[];
}

const HANDLE = /@([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)/gi;
/** Nothing inside these is touched. */
const CLOSED = new Set(['link', 'linkReference', 'code', 'inlineCode']);

export const memberPath = (handle: string): string => `/forum/member/${handle}`;

/** A remark plugin. */
export function linkPeople(mentions: readonly Mention[]) {
  const handles = new Set(mentions.flatMap(({ handle }) => handle ?? []));
  return () => (tree: Node) => walk(tree, handles);
}

function walk(node: Node, people: ReadonlySet<string>): void {
  if (!node.children || CLOSED.has(node.type)) return;
  node.children = node.children.flatMap((child) => {
    if (child.type === 'image') return [link(child.url ?? '', child.alt || 'Image')];
    if (child.type === 'html') return [{ type: 'text', value: child.value ?? '' }];
    if (child.type === 'text') return split(child.value ?? '', people);
    walk(child, people);
    return [child];
  });
}

function split(text: string, people: ReadonlySet<string>): Node[] {
  const parts: Node[] = [];
  let end = 0;
  for (const match of text.matchAll(HANDLE)) {
    const handle = (match[1] ?? '').toLowerCase();
    if (!people.has(handle) || /[\p{L}\p{N}_@.]/u.test(text[match.index - 1] ?? ' ')) continue;
    if (match.index > end) parts.push({ type: 'text', value: text.slice(end, match.index) });
    parts.push(link(memberPath(handle), match[0]));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ type: 'text', value: text.slice(end) });
  return parts;
}

const link = (url: string, text: string): Node => ({ type: 'link', url, children: [{ type: 'text', value: text }] });
