// Whether the mock's answers have what the API's description requires: a screen that is checked with an answer that
// lacks a field proves nothing, and crashes where it reads the field. Former names, which no screen reads, may be lacking.
import { readFileSync } from 'node:fs';

const { paths, components } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const operations = Object.entries(paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  named: path.split('{').length - 1,
  methods,
}));

/** What an answer to `METHOD /path` lacks, each as the place of the missing field. Unknown paths lack nothing. */
export function lacking(key, status, body) {
  const [method, path] = key.split(' ');
  const [operation] = operations
    .filter(({ pattern, methods }) => pattern.test(path) && methods[method.toLowerCase()])
    .toSorted((one, other) => one.named - other.named);
  const answers = operation?.methods[method.toLowerCase()].responses ?? {};
  const schema = answers[status]?.content?.['application/json']?.schema;
  return schema && body !== null ? [...missing(schema, body, '')] : [];
}

function* missing(schema, value, place) {
  if (schema.$ref) {
    yield* missing(components.schemas[schema.$ref.split('/').at(-1)], value, place);
    return;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const found = choices.filter((choice) => choice.type !== 'null' || value === null);
    if (value === null || found.length === 0) return;
    const lacks = found.map((choice) => [...missing(choice, value, place)]);
    if (lacks.every((of) => of.length > 0)) yield* lacks.toSorted((one, other) => one.length - other.length)[0];
    return;
  }
  if (value === undefined) yield place;
  else if (Array.isArray(value)) {
    for (const item of value) yield* missing(schema.items ?? {}, item, `${place}[]`);
  } else if (value !== null && typeof value === 'object') {
    for (const name of schema.required ?? [])
      if (value[name] === undefined && !schema.properties?.[name]?.deprecated) yield `${place}.${name}`;
    for (const [name, of] of Object.entries(schema.properties ?? {}))
      if (value[name] !== undefined) yield* missing(of, value[name], `${place}.${name}`);
  }
}
