// The bounds of every request body of the OpenAPI document as a module: one constant each, so that a page has those of its
// own forms only.
const BOUNDS = ['minLength', 'maxLength', 'minimum', 'maximum', 'pattern'];

export function requestsOf(document) {
  const schemas = document.components.schemas;
  const lines = [...bodiesOf(document)].sort().map((name) => {
    const { properties = {}, required = [] } = schemas[name];
    const fields = Object.entries(properties)
      .map(([field, schema]) => [
        field,
        { ...boundsOf(schema, schemas), ...(required.includes(field) ? { required: true } : {}) },
      ])
      .filter(([, bounds]) => Object.keys(bounds).length > 0);
    return `export const ${name}: Request<'${name}'> = ${JSON.stringify(Object.fromEntries(fields))};\n`;
  });
  return `import type { Request } from './request';\n\n${lines.join('')}`;
}

function bodiesOf(document) {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const schemas = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
  return new Set(schemas.flatMap(({ schema }) => (schema.$ref ? [nameOf(schema)] : [])));
}

/** Those of a property, or of what it is when it is not null. */
function boundsOf(schema, schemas) {
  const own = schema.$ref ? schemas[nameOf(schema)] : schema;
  const kinds = (own.anyOf ?? [own]).filter(({ type }) => type !== 'null');
  const [kind] = kinds;
  if (kinds.length !== 1) return {};
  if (kind !== own) return boundsOf(kind, schemas);
  return Object.fromEntries(BOUNDS.flatMap((bound) => (kind[bound] === undefined ? [] : [[bound, kind[bound]]])));
}

const nameOf = ({ $ref }) => $ref.split('/').at(-1);
