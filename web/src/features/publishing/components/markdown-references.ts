// In the Markdown editor the address of a link to a page or a tracked link is shown as its name. Part of the editor's own
// chunk: it imports nothing of the builder.
import { Facet, type Extension, type Range } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view';

export interface Reference {
  /** Where `page:ID` begins and ends in the text. */
  readonly from: number;
  readonly to: number;
  readonly kind: 'page' | 'link';
  readonly address: string;
}

const REFERENCE = /(?<=\]\()(page|link):[0-9a-z-]+(?=\))/gi;

export function referencesIn(text: string): readonly Reference[] {
  return [...text.matchAll(REFERENCE)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
    kind: found[1]?.toLowerCase() === 'link' ? 'link' : 'page',
    address: found[0].toLowerCase(),
  }));
}

export interface Name {
  readonly name: string;
  /** What it leads to no longer exists. */
  readonly isGone: boolean;
}
export type NameOf = (reference: Pick<Reference, 'kind' | 'address'>) => Name;

const names = Facet.define<NameOf, NameOf | null>({ combine: (all) => all[0] ?? null });

class NameWidget extends WidgetType {
  readonly name: string;
  readonly isGone: boolean;

  constructor(name: string, isGone: boolean) {
    super();
    this.name = name;
    this.isGone = isGone;
  }

  override eq(other: NameWidget): boolean {
    return other.name === this.name && other.isGone === this.isGone;
  }

  override toDOM(): HTMLElement {
    const shown = document.createElement('span');
    shown.className = this.isGone ? 'cm-reference cm-gone' : 'cm-reference';
    shown.textContent = this.name;
    return shown;
  }
}

function decorated(view: EditorView): DecorationSet {
  const nameOf = view.state.facet(names);
  const found: Range<Decoration>[] = [];
  if (nameOf)
    for (const { from, to } of view.visibleRanges)
      for (const reference of referencesIn(view.state.sliceDoc(from, to))) {
        const { name, isGone } = nameOf(reference);
        const widget = new NameWidget(name, isGone);
        found.push(Decoration.replace({ widget }).range(from + reference.from, from + reference.to));
      }
  return Decoration.set(found);
}

const shown = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorated(view);
    }

    update(update: ViewUpdate): void {
      const isRenamed = update.startState.facet(names) !== update.state.facet(names);
      if (update.docChanged || update.viewportChanged || isRenamed) this.decorations = decorated(update.view);
    }
  },
  {
    decorations: (plugin) => plugin.decorations,
    // The caret steps over a name, and Backspace deletes it whole.
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
  },
);

const look = EditorView.theme({
  '.cm-reference': {
    backgroundColor: 'var(--c-sunken)',
    border: '1px solid var(--c-line)',
    borderRadius: '0.375rem',
    padding: '0 0.3rem',
    fontSize: '0.8125rem',
  },
  '.cm-gone': { color: 'var(--c-bad)', borderColor: 'var(--c-bad)' },
});

export const references = (nameOf: NameOf): Extension => [names.of(nameOf), shown, look];
