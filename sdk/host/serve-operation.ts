import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../plugin/operations.ts'
import { carrierOf, type RoutedRequest } from '../http/request.ts'
import { writeValue } from './answer-writer.ts'
import type { AnyOperation } from './any-operation.ts'
import { errorReply } from './error-reply.ts'
import { InputReader, type Input } from './input-reader.ts'
import { isObject, type JsonSchema } from './json-schema.ts'
import { PAGE_QUERY, pageOf } from './paging.ts'
import { namedParams, partsOf, type Spelling } from './spelling.ts'

/** Who asks, while the server knows no logins. */
export const ANONYMOUS = 'anonymous'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may use the route: users what reads and admins what changes, unless it says otherwise. */
    access?: Access
    /** It changes something, though it is a `GET`. */
    changes?: boolean
  }
}

/** Answers one spelling of an operation as a route of `app`. */
export function serveOperation(app: FastifyInstance, operation: AnyOperation, { method, path, url }: Spelling): void {
  const { params, body } = operation
  const reader = new InputReader({ params, query: querySchemaOf(operation), body, isBodyInQuery: method === 'GET' })
  const parts = partsOf(path, params)
  app.route<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>({
    method,
    url,
    config: { access: accessOf(operation), changes: operation.method !== 'GET' },
    onRequest: async ({ raw }) => settleContentType(raw.headers),
    handler: async (request, reply) => {
      const { raw, query, body } = request
      const input = reader.read({ params: namedParams(parts, request.params), query, body })
      try {
        const answer = await whileClientStays(raw, async (signal) =>
          operation.handle({ ...input, user: userOf(raw), request: raw, signal }),
        )
        return send(reply, bodyOf(operation, joined(operation, answer), input.query))
      } catch (error) {
        if (operation.inBandErrors) return sendInBand(operation, error, request, reply)
        throw error
      }
    },
  })
}

/** `curl -d` calls any body a form, and operations without a body are sent with a content type all the same. */
function settleContentType(headers: IncomingHttpHeaders): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  if (length === '0' && encoding === undefined) delete headers['content-type']
  else if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    headers['content-type'] = 'application/json'
  }
}

/** Who may call an operation. */
export function accessOf({ access, method }: Pick<AnyOperation, 'access' | 'method'>): Access {
  return access ?? (method === 'GET' ? 'user' : 'admin')
}

/** The parameters of an operation's query, those of paging included. */
export function querySchemaOf({ query, paged = false }: AnyOperation): JsonSchema {
  const schema: JsonSchema = query ?? { type: 'object' }
  return paged ? { ...schema, properties: { ...PAGE_QUERY, ...schema.properties } } : schema
}

function userOf({ user = ANONYMOUS }: RoutedRequest): string {
  return user
}

async function whileClientStays<Result>(
  request: RoutedRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const carrier = carrierOf(request).once('close', leave)
  try {
    return await work(leaving.signal)
  } finally {
    carrier.off('close', leave)
  }
}

/** The answers of all processes as one; there is one process. */
function joined({ reach }: AnyOperation, answer: unknown): unknown {
  return typeof reach === 'object' && 'all' in reach ? reach.all([answer]) : answer
}

function bodyOf(operation: AnyOperation, answer: unknown, query: Input['query']): unknown {
  const { wire = 'envelope', answer: schema } = operation
  const value = schema && writeValue(schema, answer)
  if (wire === 'bare') return value ?? {}
  const done = { code: 0, message: 'success' }
  if (wire === 'fields') return isObject(value) ? { ...done, ...value } : done
  if (operation.paged && Array.isArray(value)) return { ...done, ...pageOf(value, query) }
  return schema === undefined ? done : { ...done, data: value }
}

/** An error as clients expect it that look at the body alone, with all that a success would have, unset. */
function sendInBand(
  operation: AnyOperation,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode, headers, body, unexpected } = errorReply(error)
  if (unexpected) request.log.error({ err: error }, 'request failed')
  const unset = bodyOf(operation, operation.paged ? [] : undefined, {})
  const fields = isObject(unset) ? unset : {}
  void reply.headers(headers)
  return send(reply, { ...fields, code: statusCode, message: body.message })
}

/** Also for a text, which fastify would send as it is. */
function send(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}
