import type { AnyEvents, AnyOperation } from './any-operation.ts'
import { propertiesOf, type JsonSchema } from './json-schema.ts'

/**
 * Checks the rules that the types of an operation can't express.
 * @throws {Error} when its parts contradict each other
 */
export function checkOperation(operation: AnyOperation): void {
  const { method, path, summary, body, wire = 'envelope', paged = false, reach = 'here' } = operation
  const refuse = (why: string): Error => new Error(`${method} ${path}: ${why}`)
  const answer: JsonSchema | undefined = operation.answer
  const isList = answer?.type === 'array'
  if (summary === '') throw refuse('it needs a summary')
  if (method === 'GET' && body !== undefined) throw refuse('a GET has no body')
  if (paged && (!isList || wire !== 'envelope')) throw refuse('only a list in the envelope can be paged')
  if (operation.contentType !== undefined && answer?.type !== 'string')
    throw refuse('what goes out as it is, is a string')
  if (wire === 'empty' && answer !== undefined) throw refuse('an empty answer has no schema')
  if (wire === 'fields' && answer?.type !== 'object') throw refuse('only the fields of an object go beside the code')
  if (reach === 'all' && answer !== undefined && !isList) {
    throw refuse('its answers are no lists: reach `{ all: … }` makes one of them')
  }
  const owner = ownerFieldOf(reach)
  if (owner !== undefined && !fieldsOf(operation).includes(owner)) throw refuse(`no schema has the field '${owner}'`)
}

/**
 * Checks the rules that the types of server-sent events can't express.
 * @throws {Error} when there is no summary, or an alias is not a `GET`
 */
export function checkEvents({ path, summary, aliases = [] }: AnyEvents): void {
  if (summary === '') throw new Error(`${path}: it needs a summary`)
  const other = aliases.find((alias) => alias.includes(' ') && !alias.startsWith('GET '))
  if (other !== undefined) throw new Error(`${path}: server-sent events are asked for by GET, not by '${other}'`)
}

function ownerFieldOf(reach: NonNullable<AnyOperation['reach']>): string | undefined {
  if (typeof reach === 'string' || 'all' in reach) return undefined
  return 'stream' in reach ? reach.stream : reach.session
}

function fieldsOf({ params, query, body }: AnyOperation): string[] {
  return [params, query, body].flatMap((schema) => Object.keys(propertiesOf(schema)))
}
