import { expect, test } from 'vitest';
import { signedMinor } from './amount';

test.each([
  ['12.5', 'USD', 1250],
  [' -12,50 ', 'USD', -1250],
  ['−3', 'JPY', -3],
  ['0', 'USD', null],
  ['1.234', 'USD', null],
  ['--1', 'USD', null],
])('%s %s is %s minor units', (text, currency, minor) => {
  expect(signedMinor(text, currency)).toBe(minor);
});
