// Mocked routes of the API: path, method and body of an answer are those of the OpenAPI document, or it does not compile.
import { http as msw, HttpResponse, type HttpResponseInit, type RequestHandlerOptions } from 'msw';
import type { components, paths } from '@/lib/api/schema';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type ContentOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : null;

/** What a route sends when all is well; null where it sends no body. */
export type Ok<P extends keyof paths, M extends Method = 'get'> = P extends keyof paths ? OkOf<paths[P][M]> : never;
type OkOf<Operation> = Operation extends { responses: infer Responses }
  ? ContentOf<Responses[Extract<keyof Responses, 200 | 201 | 202 | 204>]>
  : never;

declare const content: unique symbol;
interface Sent<Content> extends Response {
  readonly [content]: Content;
}

/** The answer of a route, for what makes one apart from it. */
export type Answer<P extends keyof paths, M extends Method = 'get'> = Sent<Ok<P, M>>;

interface Asked {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}
type Reply<Content> = (asked: Asked) => Sent<Content> | Promise<Sent<Content>>;

const route =
  <M extends Method>(method: M) =>
  <P extends PathsWith<M>>(path: P, reply: Reply<Ok<P, M>>, options?: RequestHandlerOptions) =>
    msw[method](at(path), reply as never, options);

/** A path of the document in the syntax of msw. */
const at = (path: string): string => `*${path.replace(/\{(\w+)\}/g, ':$1')}`;

export const http = {
  get: route('get'),
  post: route('post'),
  put: route('put'),
  patch: route('patch'),
  delete: route('delete'),
  /** What the document does not describe, or many routes at once: a pattern of msw, an answer of any shape. */
  any: (pattern: string, reply: Reply<unknown>) => msw.all(pattern, reply as never),
};

const sent = <Content>(response: Response): Sent<Content> => response as Sent<Content>;

export const json = <Content>(body: NoInfer<Content>, init?: HttpResponseInit): Sent<Content> =>
  sent(HttpResponse.json(body as never, init));

export const noContent = (status = 204): Sent<null> => sent(new HttpResponse(null, { status }));

export const unreachable = (): Sent<never> => sent(HttpResponse.error());

/** What no route sends: the page of a gateway, an answer that broke off. */
export const raw = (text: string | ReadableStream, init: HttpResponseInit): Sent<never> =>
  sent(new HttpResponse(text, init));

type Problem = components['schemas']['Problem'];

export const problem = (of: Pick<Problem, 'status'> & Partial<Problem>, headers: Record<string, string> = {}) => {
  const code = of.code ?? 'refused';
  const whole: Problem = { type: 'about:blank', title: code, code, message: '', ...of };
  return sent<never>(HttpResponse.json(whole, { status: of.status, headers }));
};

export const refuse = (status: number, message: string, code = 'refused', errors?: Problem['errors']): Sent<never> =>
  problem({ status, message, code, ...(errors ? { errors } : {}) });
