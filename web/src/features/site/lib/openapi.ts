// What the API says about itself (/api/openapi.json), as far as its page shows it.
import { queryOptions } from '@tanstack/react-query';
import { errorOf } from '@/lib/api/errors';

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
}
export interface Answer {
  readonly status: string;
  readonly text: string;
  readonly type: string;
}
export interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly parameters: readonly (Field & { readonly place: string })[];
  readonly body: readonly Field[];
  readonly answers: readonly Answer[];
}
export interface Group {
  readonly name: string;
  readonly calls: readonly Call[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Media {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly description?: string;
}
interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Media;
  readonly responses?: Readonly<Record<string, Media>>;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const AREAS: readonly (readonly [RegExp, string])[] = [
  [/^\/(?!api\/)/, 'Tracking'],
  [/^\/api\/public/, 'Public'],
  [/^\/api\/(marketplace|platform\/marketplace)/, 'Marketplace'],
  [/^\/api\/(forum|platform\/forum)/, 'Forum'],
  [/^\/api\/(platform\/)?(analytics|sql)/, 'Analytics'],
  [/^\/api\/platform\/affiliate/, 'Matching'],
  [
    /^\/api\/platform\/(websites|links|partners|conversions|statements|custom-domains)/,
    'Websites, links and conversions',
  ],
  [/^\/api\/platform/, 'Account'],
  [/^\/api\/(auth|website)/, 'One website'],
  [/^\/api\/admin/, 'Administration'],
];
const OTHER = 'Other';

export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/api/openapi.json', { signal });
    if (!response.ok) throw await errorOf(response);
    return groupsOf((await response.json()) as Document);
  },
});

/** The calls by what they are about, in the order of `AREAS`, each area by path. */
export function groupsOf(document: Document): Group[] {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      return operation ? [callOf(method, path, operation, document)] : [];
    }),
  );
  const areaOf = (path: string) => AREAS.find(([pattern]) => pattern.test(path))?.[1] ?? OTHER;
  return [...AREAS.map(([, name]) => name), OTHER]
    .map((name) => ({ name, calls: calls.filter((call) => areaOf(call.path) === name) }))
    .filter((group) => group.calls.length > 0);
}

function callOf(method: string, path: string, operation: Operation, document: Document): Call {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return {
    id: `${method}-${path.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-|-$/g, '')}`,
    method: method.toUpperCase(),
    path,
    title: operation.summary ?? '',
    text: operation.description ?? '',
    parameters: (operation.parameters ?? []).map((item) => ({
      name: item.name,
      place: item.in,
      required: item.required ?? false,
      type: typeOf(item.schema),
      text: item.description ?? '',
    })),
    body: body ? fieldsOf(body, document) : [],
    answers: Object.entries(operation.responses ?? {}).map(([status, answer]) => ({
      status,
      text: answer.description ?? '',
      type: typeOf(Object.values(answer.content ?? {})[0]?.schema),
    })),
  };
}

function fieldsOf(schema: Schema, document: Document): Field[] {
  const name = schema.$ref?.split('/').at(-1);
  const found = name ? document.components?.schemas?.[name] : schema;
  return Object.entries(found?.properties ?? {}).map(([field, value]) => ({
    name: field,
    type: typeOf(value),
    required: found?.required?.includes(field) ?? false,
    text: value.description ?? '',
  }));
}

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

function typeOf(schema: Schema | undefined): string {
  if (!schema) return '';
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (parts) return parts.map(typeOf).join(' | ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items) || 'anything'}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type as string | undefined);
  return schema.format ? `${type} (${schema.format})` : (type ?? '');
}
