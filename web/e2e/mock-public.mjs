// What anybody may ask: free places of early access, the forms of visitors, the API's description of itself.
import { readFileSync } from 'node:fs';

const SAID = {
  'POST /api/public/newsletter/subscribe': 'Please confirm your subscription: we have sent you an email.',
  'POST /api/public/early-access': "We'll notify you when early access opens.",
  'POST /api/public/contact': 'Thank you for your inquiry. We will get back to you soon.',
};

/** The arguments of `json`, or undefined. */
export function publicAnswer(key) {
  if (key === 'GET /api/public/early-access') return [{ places: 10, left: 7 }];
  if (key === 'GET /api/openapi.json')
    return [JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))];
  return SAID[key] && [{ ok: true, message: SAID[key] }, key.endsWith('contact') ? 201 : 200];
}
