// Solves the puzzles that a sign-in costs while an attacker guesses the password (docs/accounts.md). In slices on the main
// thread: the content security policy allows no worker, and Web Crypto's asynchronous hashes take many times as long.

export interface Work {
  readonly challenge: string;
  readonly puzzles: number;
  readonly bits: number;
}

const SLICE_MS = 12;
const CHECK_EVERY = 512;
const MAX_BITS = 20;
const MAX_PUZZLES = 64;

/** The puzzle in a 429 response, if any. */
export function workOf(problem: unknown): Work | null {
  const { code, work } = (problem ?? {}) as { code?: unknown; work?: Partial<Work> };
  if (code !== 'proof_of_work_needed' || !work) return null;
  const { challenge, puzzles, bits } = work;
  if (typeof challenge !== 'string' || typeof puzzles !== 'number' || typeof bits !== 'number') return null;
  return puzzles <= MAX_PUZZLES && bits <= MAX_BITS ? { challenge, puzzles, bits } : null;
}

/** The value of the header `Proof-Of-Work`. */
export async function solve(work: Work): Promise<string> {
  const numbers: number[] = [];
  let until = performance.now() + SLICE_MS;
  for (let index = 0; index < work.puzzles; index++) {
    const prefix = `${work.challenge}:${index}:`;
    for (let number = 0; ; number++) {
      if (firstWord(prefix + number) >>> (32 - work.bits) === 0) {
        numbers.push(number);
        break;
      }
      if (number % CHECK_EVERY === 0 && performance.now() > until) {
        await new Promise((resume) => setTimeout(resume));
        until = performance.now() + SLICE_MS;
      }
    }
  }
  return `${work.challenge};${numbers.join(',')}`;
}

type State = readonly [number, number, number, number, number, number, number, number];

const K = constants();
const schedule = new Int32Array(64);

/** The first 32 bits of the SHA-256 of an ASCII text. */
export function firstWord(text: string): number {
  const blocks = (text.length + 72) >>> 6;
  const bytes = new DataView(new ArrayBuffer(blocks * 64));
  for (let at = 0; at < text.length; at++) bytes.setUint8(at, text.charCodeAt(at));
  bytes.setUint8(text.length, 0x80);
  bytes.setUint32(blocks * 64 - 4, text.length * 8);
  let state = K.start;
  for (let block = 0; block < blocks; block++) state = mix(state, bytes, block * 64);
  return state[0] >>> 0;
}

function mix(state: State, bytes: DataView, from: number): State {
  const word = (at: number): number => schedule[at] ?? 0;
  for (let i = 0; i < 16; i++) schedule[i] = bytes.getInt32(from + i * 4);
  for (let i = 16; i < 64; i++) {
    const x = word(i - 15);
    const y = word(i - 2);
    schedule[i] =
      word(i - 16) +
      word(i - 7) +
      (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) +
      (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const first =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + (K.rounds[i] ?? 0) + word(i)) | 0;
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  const [p, q, r, s, t, u, v, w] = state;
  return [(a + p) | 0, (b + q) | 0, (c + r) | 0, (d + s) | 0, (e + t) | 0, (f + u) | 0, (g + v) | 0, (h + w) | 0];
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** Fractions of the square roots of the first 8 primes and of the cube roots of the first 64, as the standard has them. */
function constants(): { readonly start: State; readonly rounds: Int32Array } {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate++)
    if (primes.every((prime) => candidate % prime)) primes.push(candidate);
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  const start = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  return { start: start as unknown as State, rounds: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))) };
}
