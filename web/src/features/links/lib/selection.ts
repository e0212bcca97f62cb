// Which links a change of many is about: those that are ticked, or all that the list's filter holds.
import type { LinksFilter } from './search';

export interface FilteredLinks {
  readonly filter: {
    readonly archived: LinksFilter['archived'];
    readonly partnerId?: string;
    readonly tag?: string;
    readonly folder?: string;
    readonly search?: string;
  };
}

export type LinkSelection = { readonly ids: readonly string[] } | FilteredLinks;

/** All that the filter holds, also beyond the page. */
export const allOf = ({ archived, partner, tag, folder, search }: LinksFilter): FilteredLinks => ({
  filter: {
    archived,
    ...(partner ? { partnerId: partner } : {}),
    ...(tag ? { tag } : {}),
    ...(folder ? { folder } : {}),
    ...(search ? { search } : {}),
  },
});
