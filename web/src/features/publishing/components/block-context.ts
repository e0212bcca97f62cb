import { createContext, useContext } from 'react';
import type { SitePage } from '../lib/document';
import { messageAt, type Fault } from '../lib/faults';

/** What the fields of a block need besides their value. */
export interface BlockContext {
  readonly siteId: string;
  readonly websiteId: string;
  readonly pages: readonly SitePage[];
  readonly blockId: string;
  readonly faults: readonly Fault[];
}

export const BlockFields = createContext<BlockContext | null>(null);

export function useBlockContext(): BlockContext {
  const context = useContext(BlockFields);
  if (!context) throw new Error('A field of a block stands outside of a block.');
  return context;
}

/** What the server said about a field of the block. */
export function useFault(path: string): string | undefined {
  const { faults, blockId } = useBlockContext();
  return messageAt(faults, blockId, path);
}
