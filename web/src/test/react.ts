// Before React loads: what its development build records for the browser's debugger, at every element that it makes, takes
// a twelfth of the time of the tests, which read none of it.
import React from 'react';

const INTERNALS = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE';
const internals = (React as unknown as Record<string, object>)[INTERNALS];
if (!internals) throw new Error(`React has no ${INTERNALS} any more.`);
// It stops to record stacks of owners when it has recorded ten thousand.
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  get: () => 10_000,
  set: () => undefined,
  configurable: true,
});
