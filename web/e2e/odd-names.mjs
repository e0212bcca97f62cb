// The same answers with names that people have, and that layouts forget: very long ones, without a blank, from right to left,
// of emoji. What names people, programs, websites and texts of members; nothing that the app reads as a word of its own.
const LONG = `${'The complete and thoroughly tested guide to '.repeat(4)}everything`.slice(0, 200);
const NAMES = [
  LONG,
  'X'.repeat(200),
  'مراجعات الشبكات الافتراضية الخاصة لعام ٢٠٢٦ بالتفصيل الكامل',
  '👩‍👩‍👧‍👦🏳️‍🌈🇮🇸 Ævintýri 🧿🧵'.repeat(4),
];
const NAMED = new Set([
  ...[
    'name',
    'title',
    'label',
    'author',
    'displayName',
    'partnerName',
    'companyName',
    'domain',
    'websiteDomain',
    'slug',
  ],
  ...['excerpt', 'description', 'subject', 'company', 'seller', 'buyer', 'tag', 'folder', 'product'],
]);
/** Columns of results, and kinds of things: not names that anybody gave. */
const OWN_WORDS = /^\/api\/(platform\/(sql|auth)|public\/about|admin\/(projections|system|dead-letters|modules))/;

/** `value` with odd names in place of those in it; of the same name always the same one. */
export function withOddNames(path, value) {
  if (OWN_WORDS.test(path)) return value;
  if (Array.isArray(value)) return value.map((item) => withOddNames(path, item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isName(value, key) && typeof item === 'string' && item !== '' ? oddName(item) : withOddNames(path, item),
    ]),
  );
}

/** The name of a block of a page is an identifier in its address. */
const isName = (of, key) => NAMED.has(key) && !(key === 'name' && 'type' in of);

function oddName(text) {
  const sum = [...text].reduce((total, character) => total + character.codePointAt(0), 0);
  return NAMES[sum % NAMES.length];
}
