import type { Spelling } from 'sluice/sdk/host'
import type { OperationsOfOwner } from '../../http/routes-of-owner.ts'
import { describeEvents, describeOperation, describeSocket } from './described-operation.ts'
import { tagOf } from './tags.ts'
import { COMMON_SCHEMAS, type Schema } from './wire-schema.ts'

/** The operations of one path, by their methods in lower case. */
type PathItem = Record<string, Schema>

const DESCRIPTION = `The administration of the server and of the plugins that run.

Answers are \`{code, message, data}\` unless a schema says otherwise; \`code\` is 0 where it worked. Fields of requests may be written in
camelCase and in snake_case, 64-bit integers are decimal strings in answers, and a stream path in an address keeps its slashes.
\`x-access\` says who may call an operation: \`user\`, who may look, \`admin\`, who may change things, or \`public\`, everybody.`

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The token of a login, or an API token' },
  accessToken: { type: 'apiKey', in: 'header', name: 'Access-Token', description: 'The same tokens' },
  basic: { type: 'http', scheme: 'basic', description: 'Where the config has http.username and http.password' },
}
/** The ways to authenticate: any of them, and none as long as login is off. */
const SECURITY = [{}, { bearer: [] }, { accessToken: [] }, { basic: [], accessToken: [] }]

/** An OpenAPI 3.1 document of operations. */
export function openApiDocument(owners: readonly OperationsOfOwner[], version: string): Schema {
  const paths: Record<string, PathItem> = {}
  const tags = new Map<string, Schema>()
  for (const owner of owners) {
    for (const { own, spelling, description } of describedOf(owner)) {
      const tag = tagOf(own, owner.plugin)
      tags.set(tag.name, tag)
      for (const path of pathsOf(spelling, owner.mounts)) {
        const method = spelling.method.toLowerCase()
        const head = { operationId: operationIdOf(method, path), tags: [tag.name] }
        ;(paths[path] ??= {})[method] ??= { ...head, ...description }
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sluice', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    tags: [...tags.values()],
    security: SECURITY,
    paths,
    components: { schemas: COMMON_SCHEMAS, securitySchemes: SECURITY_SCHEMES },
  }
}

/** The description of one spelling, with the first spelling of its operation. */
type Described = { readonly own: Spelling; readonly spelling: Spelling; readonly description: Schema }

function describedOf({ operations }: OperationsOfOwner): Described[] {
  const { entries, eventsEntries, socketEntries } = operations
  return [
    ...entries.flatMap((entry) => spelled(entry.spellings, (spelling) => describeOperation(entry, spelling))),
    ...eventsEntries.flatMap((entry) => spelled(entry.spellings, (spelling) => describeEvents(entry, spelling))),
    ...socketEntries.flatMap((entry) => spelled([entry.spelling], () => describeSocket(entry))),
  ]
}

function spelled(spellings: readonly Spelling[], describe: (spelling: Spelling) => Schema): Described[] {
  const [own] = spellings
  return own === undefined ? [] : spellings.map((spelling) => ({ own, spelling, description: describe(spelling) }))
}

function pathsOf({ path, isAbsolute }: Spelling, mounts: readonly string[]): string[] {
  if (isAbsolute) return [path]
  return mounts.map((mount) => (mount === '' ? path : `/${mount}${path}`))
}

/** `getApiStreamInfoByStreamPath` for `GET /api/stream/info/{streamPath}`: as stable as the address itself. */
function operationIdOf(method: string, path: string): string {
  // A path with a slash at its end is another path.
  const words =
    path
      .replace(/\/$/u, '/index')
      .replaceAll('{', 'by-')
      .match(/[A-Za-z0-9]+/gu) ?? []
  return method + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}
