// Rules of form fields, with the product's own sentences.
import * as z from 'zod/mini';

export const email = z.string().check(z.trim(), z.email('Please enter a valid email'));
export const password = z.string().check(z.minLength(8, 'Password must be at least 8 characters'));
export const name = z.string().check(z.trim(), z.minLength(2, 'Name must be at least 2 characters'));
export const company = z.string().check(z.trim(), z.maxLength(200, 'Company must be at most 200 characters'));
export const inviteCode = z.string().check(z.trim(), z.minLength(1, 'Invite code is required'));
export const websiteApiKey = z.string().check(z.trim(), z.minLength(1, 'Website API key is required'));

/** Beside the field of a name that others see. */
export const PUBLIC_NAME = 'Public in forum and marketplace. A display name can replace it.';
