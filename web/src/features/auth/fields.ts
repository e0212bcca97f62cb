import * as z from 'zod/mini';

export const email = z.string().check(z.trim(), z.email('Please enter a valid email'));
export const password = z.string().check(z.minLength(8, 'Password must be at least 8 characters'));
export const name = z.string().check(z.trim(), z.minLength(2, 'Name must be at least 2 characters'));
export const CODE_LENGTH = 6;
