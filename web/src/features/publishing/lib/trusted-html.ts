// The only place where the app makes HTML from text: the preview, which a sandboxed frame shows without running anything.
// The content security policy allows this one policy by its name.

interface Policy {
  readonly createHTML: (text: string) => unknown;
}
interface Factory {
  readonly createPolicy: (name: string, rules: { readonly createHTML: (text: string) => string }) => Policy;
}

let policy: Policy | null = null;

/** The text as a browser with Trusted Types accepts it for `srcdoc`; the text itself in other browsers. */
function trusted(html: string): unknown {
  const factory = (window as { readonly trustedTypes?: Factory }).trustedTypes;
  if (!factory) return html;
  policy ??= factory.createPolicy('site-preview', { createHTML: (text) => text });
  return policy.createHTML(html);
}

/** Shows the page in the frame, unless the frame could run its scripts. */
export function showIn(frame: HTMLIFrameElement, html: string): void {
  const sandbox = frame.getAttribute('sandbox');
  if (sandbox === null || /allow-(scripts|forms|popups|top-navigation)/.test(sandbox))
    throw new Error('A preview needs a sandbox without scripts.');
  frame.setAttribute('srcdoc', trusted(html) as string);
}
