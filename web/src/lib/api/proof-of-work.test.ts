import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { http, json, problem } from '@/test/http';
import { server } from '@/test/server';
import { api, body } from './client';
import { firstWord, solve, workOf } from './proof-of-work';

const hashed = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0);
const work = { challenge: 'c'.repeat(44), puzzles: 4, bits: 6 };
const refusal = {
  type: 'about:blank',
  title: 'Too Many Requests',
  status: 429,
  code: 'proof_of_work_needed',
  message: 'Too many',
  work,
};
const isSolved = (header: string | null) => {
  const [challenge, numbers = ''] = (header ?? '').split(';');
  const found = numbers.split(',');
  return (
    challenge === work.challenge &&
    found.length === work.puzzles &&
    found.every((number, index) => hashed(`${challenge}:${index}:${number}`) >>> (32 - work.bits) === 0)
  );
};

describe('the proof of work', () => {
  it('hashes as SHA-256 does, whatever the length', () => {
    for (let length = 0; length < 130; length++) expect(firstWord('a'.repeat(length))).toBe(hashed('a'.repeat(length)));
    for (let number = 0; number < 500; number++)
      expect(firstWord(`challenge:3:${number}`)).toBe(hashed(`challenge:3:${number}`));
  });

  it('solves every puzzle', async () => {
    expect(isSolved(await solve(work))).toBe(true);
  });

  it('does only the work that a refusal requires, up to a limit', () => {
    expect(workOf(refusal)).toEqual(work);
    for (const other of [
      null,
      'text',
      { code: 'too_many_attempts', work },
      { code: 'proof_of_work_needed' },
      { ...refusal, work: { ...work, bits: 31 } },
      { ...refusal, work: { ...work, puzzles: 1e6 } },
    ]) {
      expect(workOf(other)).toBeNull();
    }
  });
});

describe('signing in while an attacker guesses', () => {
  const login = { email: 'a@example.com', password: 'a password' };

  it('sends the same again with the proof', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post('/api/platform/login', async ({ request }) => {
        sent.push(await request.json());
        if (!isSolved(request.headers.get('Proof-Of-Work'))) return problem(refusal);
        return json({ requires2FA: true, ticket: 't' });
      }),
    );
    expect(await body(api.POST('/api/platform/login', { body: login }))).toEqual({ requires2FA: true, ticket: 't' });
    expect(sent).toEqual([login, login]);
  });

  it('stops when no proof is good enough', async () => {
    let calls = 0;
    server.use(http.post('/api/platform/login', () => ((calls += 1), problem(refusal))));
    await expect(body(api.POST('/api/platform/login', { body: login }))).rejects.toThrow('Too many');
    expect(calls).toBe(3);
  });
});
