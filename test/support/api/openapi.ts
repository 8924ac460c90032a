import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: object
}
type Content = Readonly<Record<string, { readonly schema: object }>>
export type DescribedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly deprecated?: boolean
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
  readonly security?: readonly object[]
  readonly 'x-access': string
}

/** The document at `/api/openapi.json`, as far as tests look at it. */
export type OpenApi = {
  readonly openapi: string
  readonly info: Readonly<Record<string, unknown>>
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: Readonly<Record<'schemas' | 'securitySchemes', Readonly<Record<string, object>>>>
}

/** One way to ask for an operation. */
export type Spelled = { readonly method: string; readonly path: string; readonly operation: DescribedOperation }

/** All that can be asked for, as `GET /path`. */
export function spellingsOf({ paths }: OpenApi): Spelled[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** Checks of values by the schemas of a document. */
export class SchemaChecks {
  readonly #ajv = new Ajv2020({ strict: false, logger: false, allErrors: true })
  readonly #document: OpenApi
  readonly #checks = new Map<object, ValidateFunction>()

  constructor(document: OpenApi) {
    this.#document = document
  }

  /** What is wrong with a value; undefined when it is as the schema says. */
  problemOf(schema: object, value: unknown): string | undefined {
    const check = this.#checks.get(schema) ?? this.compile(schema)
    this.#checks.set(schema, check)
    return check(value) ? undefined : this.#ajv.errorsText(check.errors)
  }

  /** @throws {Error} when it is no schema, or refers to one that is not there */
  compile(schema: object): ValidateFunction {
    return this.#ajv.compile({ $ref: '#/it', it: schema, components: this.#document.components })
  }
}

/** All that makes a document invalid or incomplete (OpenAPI 3.1.1, 4.8). */
export function documentProblems(document: OpenApi): string[] {
  const spellings = spellingsOf(document)
  const checks = new SchemaChecks(document)
  const { openapi, info, security, tags, components } = document
  const general = [
    ...(/^3\.1\.\d+$/u.test(openapi) ? [] : ['it is of no known version']),
    ...['title', 'version', 'description'].filter((field) => !info[field]).map((field) => `info has no ${field}`),
    ...(security.length > 0 ? [] : ['no way to log in']),
    ...security.flatMap((way) => Object.keys(way)).flatMap((name) => (components.securitySchemes[name] ? [] : [name])),
    ...repeated(tags.map(({ name }) => name)).map((name) => `two tags ${name}`),
    ...repeated(spellings.map(({ operation }) => operation.operationId)).map((id) => `two operations ${id}`),
    ...repeated(Object.keys(document.paths).map(shapeOf)).map((path) => `two paths like ${path}`),
  ]
  return [...general, ...spellings.flatMap((spelled) => operationProblems(spelled, document, checks))]
}

function operationProblems({ method, path, operation }: Spelled, { tags }: OpenApi, checks: SchemaChecks): string[] {
  const { operationId, summary, parameters, requestBody, responses } = operation
  const named = parameters.filter((parameter) => parameter.in === 'path')
  const contents = [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}))
  const isSocket = '101' in responses
  const succeeded = Object.keys(responses).filter((status) => /^[12]\d\d$/u.test(status))
  const schemaLess = Object.entries(responses).filter(
    ([status, { content }]) => status !== '204' && status !== '101' && Object.keys(content ?? {}).length === 0,
  )
  const problems = [
    ...(path.startsWith('/') ? [] : ['is at no path']),
    ...(/^[a-z][A-Za-z0-9]+$/u.test(operationId) ? [] : ['has no id']),
    ...(summary === '' ? ['has no summary'] : []),
    ...(operation.tags.length === 1 ? [] : ['has not one tag']),
    ...operation.tags.filter((tag) => !tags.some(({ name }) => name === tag)).map((tag) => `has an unknown tag ${tag}`),
    ...(named.every(({ required }) => required) ? [] : ['has a parameter in its path that is not required']),
    ...(sameNames(path, named) ? [] : ['has other parameters than its path']),
    ...repeated(parameters.map(({ name, in: place }) => `${place} ${name}`)).map(
      (name) => `has two parameters ${name}`,
    ),
    ...(succeeded.length === 1 || isSocket ? [] : ['has not one answer']),
    ...('default' in responses ? [] : ['does not say how it fails']),
    ...schemaLess.map(([status]) => `has no schema for ${status}`),
    ...Object.values(responses).flatMap(({ description }) =>
      description ? [] : ['has an answer without description'],
    ),
    ...(method === 'GET' && requestBody !== undefined ? ['has a body'] : []),
    ...[...parameters, ...contents].flatMap(({ schema }) => schemaProblem(schema, checks)),
  ]
  return problems.map((problem) => `${method} ${path} ${problem}`)
}

function schemaProblem(schema: object, checks: SchemaChecks): string[] {
  try {
    checks.compile(schema)
    return []
  } catch (error) {
    return [`has a schema that is none: ${String(error)}`]
  }
}

function sameNames(path: string, named: readonly Parameter[]): boolean {
  const inPath = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name)
  return inPath.length === named.length && named.every(({ name }) => inPath.includes(name))
}

/** A path without the names of its parameters. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+\}/gu, '{}')
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
}
