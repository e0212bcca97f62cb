import { expect, test } from 'vitest';
import { networkConnection } from '@/test/networks';
import { connectionStateOf } from './connection-states';

const BEFORE = '2026-11-20T09:59:00Z';
const LATER = '2026-11-20T10:05:00Z';
const state = (over: Parameters<typeof networkConnection>[0]) =>
  connectionStateOf(networkConnection(over), Date.parse('2026-11-20T10:00:00Z'));

test('a connection is read, waits for its next time, fails, or is refused', () => {
  expect(state({ nextAt: LATER })).toBe('connected');
  expect(state({ nextAt: BEFORE })).toBe('reading');
  expect(state({ nextAt: LATER, isPulling: true })).toBe('reading');
  expect(state({ nextAt: LATER, isPulling: true, problem: 'Awin answers with 500.' })).toBe('failing');
  expect(state({ nextAt: BEFORE, isPulling: true, problem: 'Awin answers with 500.' })).toBe('reading');
  expect(state({ nextAt: null, isPulling: true, problem: 'Enter new ones.', isRefused: true })).toBe('refused');
});
