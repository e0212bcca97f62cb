import type { Idea } from '../api/ideas';

/** Where a website for an idea begins: with the template of its industry and its first article. */
export const builderAddress = ({ id }: Pick<Idea, 'id'>): string =>
  `/builder?${new URLSearchParams({ starter: id.split('.')[0] ?? '', idea: id }).toString()}`;
