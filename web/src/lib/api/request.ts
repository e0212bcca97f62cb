// What the OpenAPI document says of the fields of a request. `request-schemas.ts`, made from it, has one constant for each body.
import type { components } from './schema';

export interface Bounds {
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

type Schemas = components['schemas'];

export type Request<Name extends keyof Schemas> = { readonly [Field in keyof Schemas[Name]]?: Bounds };
