// Documents come as JSON: what the editor needs of their shape is checked, and what may be missing is filled in.
import { BLOCK_KINDS } from './blocks';
import type { Block, PageDocument, SiteDocument } from './document';

const TYPES: readonly string[] = BLOCK_KINDS.map(({ type }) => type);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export function isPage(value: unknown): value is PageDocument {
  return isRecord(value) && Array.isArray(value['blocks']) && value['blocks'].every(isBlock);
}

function isBlock(value: unknown): value is Block {
  return isRecord(value) && typeof value['id'] === 'string' && TYPES.includes(value['type'] as string);
}

export function isSite(value: unknown): value is SiteDocument {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    isRecord(value['theme']) &&
    Array.isArray(value['navigation']) &&
    Array.isArray(value['pages'])
  );
}
