// Spec §5: the rules of forms, at their limits and in their words.
import { expect, test } from 'vitest';
import { faultsIn, type Check } from './rules';
import { email, inviteCode, name, password, websiteApiKey } from './fields';

const messageOf = (field: string, rule: Check, value: string): string | undefined =>
  faultsIn({ [field]: value }, {}, { [field]: rule })[field];

test.each([
  ['email', email, 'nobody', 'Please enter a valid email'],
  ['email', email, 'a@b', 'Please enter a valid email'],
  ['email', email, '', 'Please enter a valid email'],
  ['email', email, ' a@b.is ', undefined],
  ['password', password, '1234567', 'Password must be at least 8 characters'],
  ['password', password, '12345678', undefined],
  ['password', password, '        ', undefined],
  ['name', name, ' A ', 'Name must be at least 2 characters'],
  ['name', name, 'Al', undefined],
  ['invite code', inviteCode, ' ', 'Invite code is required'],
  ['invite code', inviteCode, 'A', undefined],
  ['website API key', websiteApiKey, '', 'Website API key is required'],
  ['website API key', websiteApiKey, 'k', undefined],
])('spec §5, §9: %s', (field, rule, value, message) => {
  expect(messageOf(field, rule, value), JSON.stringify(value)).toBe(message);
});
