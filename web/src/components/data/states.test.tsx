import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '@/lib/api/errors';
import { ErrorBox } from './states';

test.each([
  [400, false],
  [422, false],
  [429, true],
  [503, true],
])('a refusal with %i offers to try again: %s', (status, offered) => {
  render(<ErrorBox error={new ApiError(status, 'Refused.')} onRetry={() => undefined} />);
  expect(screen.getByRole('alert')).toHaveTextContent('Refused.');
  expect(screen.queryByRole('button', { name: 'Try again' }) !== null).toBe(offered);
});
