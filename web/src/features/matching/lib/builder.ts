/** Whether this version has the website builder. Ideas link to it as soon as it does. */
const HAS_BUILDER: boolean = false;

/** Where a website for an idea begins, made from the starter of its industry; null without a builder. */
export const builderAddress = (starter: string, idea: string, hasBuilder = HAS_BUILDER): string | null =>
  hasBuilder ? `/builder?${new URLSearchParams({ starter, idea }).toString()}` : null;
