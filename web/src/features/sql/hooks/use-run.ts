// Runs one statement at a time, cancels it, or downloads its full result.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { cancelStatement, historyQuery, runStatement, statementFile, type SqlResult } from '../api/queries';
import type { Values } from '../lib/address';

/** Of a page; files have all. */
const MAX_ROWS = 10_000;

export type FileFormat = 'csv' | 'ndjson' | 'parquet';
export type Run =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly since: number }
  | {
      readonly state: 'done';
      readonly result: SqlResult;
      readonly keptFrom: string | null;
      readonly sql: string;
      readonly parameters: Values;
    }
  | { readonly state: 'failed'; readonly error: unknown; readonly sql: string }
  | { readonly state: 'cancelled' };

interface Under {
  readonly id: string;
  readonly abort: AbortController;
}

export function useRun() {
  const client = useQueryClient();
  const under = useRef<Under | null>(null);
  const [run, setRun] = useState<Run>({ state: 'idle' });

  // Leaving the page aborts the request; the server cancels the statement.
  useEffect(() => () => under.current?.abort.abort(), []);

  const start = async (sql: string, parameters: Values) => {
    if (under.current || !sql.trim()) return;
    const mine = { id: statementId(), abort: new AbortController() };
    under.current = mine;
    setRun({ state: 'running', since: Date.now() });
    try {
      const question = { sql, parameters, queryId: mine.id, maxRows: MAX_ROWS };
      setRun({ state: 'done', ...(await runStatement(question, mine.abort.signal)), sql, parameters });
    } catch (error) {
      const stopped = mine.abort.signal.aborted || (error instanceof ApiError && error.code === 'cancelled');
      setRun(stopped ? { state: 'cancelled' } : { state: 'failed', error, sql });
    } finally {
      under.current = null;
      void client.invalidateQueries({ queryKey: historyQuery.queryKey });
    }
  };

  /** The server stops it and answers; if it does not know it yet, going away stops it as well. */
  const cancel = async () => {
    const mine = under.current;
    if (!mine) return;
    try {
      await cancelStatement(mine.id);
    } catch {
      mine.abort.abort();
    }
  };

  return { run, start: (sql: string, parameters: Values) => void start(sql, parameters), cancel: () => void cancel() };
}

/** Runs the statement again for all of its rows and hands them over as a file. */
export async function saveAs(sql: string, parameters: Values, format: FileFormat): Promise<void> {
  try {
    const url = URL.createObjectURL(await statementFile({ sql, parameters, format, maxRows: MAX_ROWS }));
    const anchor = document.createElement('a');
    anchor.href = url;
    anchor.download = `query.${format}`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 0);
    toast('Download ready', `query.${format}`);
  } catch (error) {
    toastError('Failed to download', messageOf(error));
  }
}

/** A version 4 UUID; `randomUUID` needs a secure context. */
function statementId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
