// In the address of the analytics page: the saved view to open, or the website's default.
export const OPEN = 'open';
export const DEFAULT_VIEW = 'default';
