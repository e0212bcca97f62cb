// What the server rejected, by block and field: `document.blocks.3.questions.0.answer` of the document that was sent.
import { ApiError } from '@/lib/api/errors';
import type { PageDocument } from './document';

export interface Fault {
  /** Null: the fault is not in one block. */
  readonly blockId: string | null;
  /** The place inside the block (`questions.0.answer`), or in the document. */
  readonly path: string;
  readonly message: string;
}

export function faultsOf(error: unknown, sent: PageDocument): readonly Fault[] {
  if (!(error instanceof ApiError)) return [];
  return Object.entries(error.fields).map(([field, message]) => faultAt(field, message, sent));
}

function faultAt(field: string, message: string, sent: PageDocument): Fault {
  const found = /^(?:document\.)?blocks\.(\d+)\.?(.*)$/.exec(field);
  const blockId = found ? sent.blocks[Number(found[1])]?.id : undefined;
  if (!found || !blockId) return { blockId: null, path: field.replace(/^document\.?/, ''), message };
  return { blockId, path: found[2] ?? '', message };
}

/** The message at a field of a block, or at a field inside of it. */
export const messageAt = (faults: readonly Fault[], blockId: string, path: string): string | undefined =>
  faults.find((fault) => fault.blockId === blockId && (fault.path === path || fault.path.startsWith(`${path}.`)))
    ?.message;

export const faultsIn = (faults: readonly Fault[], blockId: string): readonly Fault[] =>
  faults.filter((fault) => fault.blockId === blockId);
