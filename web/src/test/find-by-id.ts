// A query by label looks for `[id="…"]` once for each element that has one, and jsdom then looks at the whole page: on a
// page with a map that was two thirds of a test's time.

const BY_ID = /^\[id="([^"\\]*)"\]$/;

/** Makes `querySelector('[id="…"]')` of an element quick; every other selector is jsdom's. Returns what restores it. */
export function quickenFindingById(page: Window & typeof globalThis): () => void {
  const { prototype } = page.Element;
  const original = prototype.querySelector;
  const quick = function (this: Element, selector: string): Element | null {
    const id = BY_ID.exec(selector)?.[1];
    if (id && this.isConnected && !(this.getRootNode() instanceof page.ShadowRoot)) {
      const found = this.ownerDocument.getElementById(id);
      if (!found || (found !== this && this.contains(found))) return found;
    }
    return original.call(this, selector);
  };
  prototype.querySelector = quick as typeof original;
  return () => {
    prototype.querySelector = original;
  };
}
