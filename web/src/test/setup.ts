import '@testing-library/jest-dom/vitest';
import { cleanup, configure, prettyDOM } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { endSession } from '@/lib/session';
import { endWebsiteSession } from '@/lib/session/website-session';
import { closeCommands } from '@/stores/commands';
import { useToasts } from '@/stores/toasts';
import { useUi } from '@/stores/ui';
import { quickenComputedStyle } from './computed-style';
import { FakeEventSource } from './event-source';
import { quickenFindingById } from './find-by-id';
import { resetState, server } from './server';

// On a busy machine five seconds pass before a test has checked the toast.
vi.mock('@/stores/toasts', async (original) => ({
  ...(await original<typeof import('@/stores/toasts')>()),
  TOAST_DURATION_MS: 600_000,
}));

// What jsdom does not have.
class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}
vi.stubGlobal('ResizeObserver', Observer);
vi.stubGlobal('IntersectionObserver', Observer);
vi.stubGlobal('EventSource', FakeEventSource);
vi.stubGlobal('scrollTo', () => undefined);
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
}));
Element.prototype.hasPointerCapture = () => false;
Element.prototype.scrollIntoView = () => undefined;

const restore = [quickenComputedStyle(window), quickenFindingById(window)];

// A query that waits fails until it finds. Only the last of its errors is read, and only then is the page printed.
function getElementError(message: string | null, container: Element): Error {
  const error = Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' });
  Error.captureStackTrace(error, getElementError);
  let whole: string | undefined;
  const withPage = () => (whole ??= [message, prettyDOM(container)].filter(Boolean).join('\n\n'));
  return Object.defineProperty(error, 'message', { get: withPage, configurable: true });
}

// Waiting ends with the condition; this is when a test has failed.
configure({
  asyncUtilTimeout: 30_000,
  getElementError,
});

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
// The clock of a test stands still, so that no window of seconds ends while a busy machine works on it: the second key of
// a shortcut, the letters of one step of undo, a decision that can still be undone.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  server.resetHandlers();
  resetState();
  useToasts.setState({ items: [] });
  closeCommands();
  useUi.setState(useUi.getInitialState());
  document.documentElement.className = '';
  endSession();
  endWebsiteSession();
  localStorage.clear();
  sessionStorage.clear();
  FakeEventSource.all.length = 0;
  // What tests add because jsdom lacks it.
  for (const name of ['execCommand', 'hidden']) Reflect.deleteProperty(document, name);
  for (const name of ['createObjectURL', 'revokeObjectURL']) Reflect.deleteProperty(URL, name);
});
// The files of a worker share one page: what one still loads must not arrive in the next.
afterAll(async () => {
  await vi.dynamicImportSettled();
  server.close();
  for (const one of restore) one();
});
