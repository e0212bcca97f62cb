import { createContext, useContext, useEffect, useRef, type RefObject } from 'react';
import type { SitePage } from '../lib/document';
import { messageAt, type Fault } from '../lib/faults';

/** What the fields of a block need besides their value. */
export interface BlockContext {
  readonly siteId: string;
  readonly websiteId: string;
  readonly pages: readonly SitePage[];
  readonly blockId: string;
  readonly faults: readonly Fault[];
  /** A text in a field of the block that is to be selected. */
  readonly wanted?: WantedText | null;
}

/** An object for each time that it is wanted. */
export interface WantedText {
  /** The place of the field in the block: `offers.0.name`. */
  readonly field: string;
  readonly text: string;
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

/** A ref of the field at this path, which selects the text that is wanted in it. */
export function useWantedText<T extends HTMLInputElement | HTMLTextAreaElement>(path: string): RefObject<T | null> {
  const { wanted } = useBlockContext();
  const field = useRef<T>(null);
  useEffect(() => {
    const element = field.current;
    if (!element || !wanted || !isIn(wanted.field, path)) return;
    const from = element.value.indexOf(wanted.text);
    if (from < 0) return;
    element.focus();
    element.setSelectionRange(from, from + wanted.text.length);
  }, [wanted, path]);
  return field;
}

/** `pros.2` is shown by the field at `pros`. */
export const isIn = (field: string, path: string): boolean => field === path || field.startsWith(`${path}.`);
