import type { Ask } from './row.ts'
import type { Spelled } from './openapi.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/** Requests that are right but for one field, which is of no type that its schema allows. */
export function* wrongRequests({ operation }: Spelled, right: Ask): Generator<{ field: string; ask: Ask }> {
  for (const { name, in: place, schema } of operation.parameters) {
    // In an address all is text.
    if (typesOf(schema).includes('string')) continue
    const wrong = { [name]: 'wrong' }
    const ask =
      place === 'path'
        ? { ...right, params: { ...right.params, ...wrong } }
        : { ...right, query: { ...right.query, ...wrong } }
    yield { field: name, ask }
  }
  const body: Schema | undefined = operation.requestBody?.content['application/json']?.schema
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    const types = typesOf(schema)
    if (types.length === 0) continue
    const wrong = types.includes('object') ? 'wrong' : { wrong: true }
    yield { field: name, ask: { ...right, body: { ...(right.body as object), [name]: wrong } } }
  }
}

/** The types that a schema allows; none where it allows all. */
function typesOf({ type, anyOf = [] }: Schema): readonly string[] {
  return [type ?? [], ...anyOf.map(typesOf)].flat()
}
