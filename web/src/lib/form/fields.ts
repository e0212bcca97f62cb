// Rules of form fields, with the product's own sentences.
import type { Check } from './rules';

const EMAIL = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

export const email: Check = (text) => (EMAIL.test(text) ? undefined : 'Please enter a valid email');
export const password = atLeast(8, 'Password must be at least 8 characters');
export const name = atLeast(2, 'Name must be at least 2 characters');
export const company: Check = (text) => (text.length > 200 ? 'Company must be at most 200 characters' : undefined);
export const inviteCode = atLeast(1, 'Invite code is required');
export const websiteApiKey = atLeast(1, 'Website API key is required');

/** Beside the field of a name that others see. */
export const PUBLIC_NAME = 'Public in forum and marketplace. A display name can replace it.';

function atLeast(length: number, message: string): Check {
  return (text) => (text.length < length ? message : undefined);
}
