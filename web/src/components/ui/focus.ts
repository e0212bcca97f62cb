/** A `ref` that focuses a field which a user action revealed. Not for fields that are there when a page loads. */
export const focusOnMount = (element: HTMLElement | null): void => element?.focus();
