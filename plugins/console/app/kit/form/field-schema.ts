/** The text that the server has in place of a secret, and takes for the secret that is set. */
export const SECRET_MASK = '******'

/** The keywords of JSON Schema that forms use. */
export type FieldSchema = {
  readonly type?: string | undefined
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly oneOf?: readonly FieldSchema[]
  readonly anyOf?: readonly FieldSchema[]
  readonly allOf?: readonly FieldSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: FieldSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly patternProperties?: Readonly<Record<string, FieldSchema>>
  readonly additionalProperties?: boolean | FieldSchema
  readonly propertyNames?: FieldSchema
  readonly required?: readonly string[] | undefined
  readonly writeOnly?: boolean
  readonly readOnly?: boolean
}

/** A value that a key may have, and its words. */
export type Choice = { readonly value: unknown; readonly title: string }

/** The kinds of inputs that hold a whole value. */
export type InputKind = 'choice' | 'switch' | 'number' | 'password' | 'text' | 'choices' | 'tags' | 'json'

/** The values of a schema that names them all; undefined for any other schema. */
export function choicesOf(schema: FieldSchema): readonly Choice[] | undefined {
  if (schema.enum !== undefined) return schema.enum.map((value) => choiceOf({ const: value }))
  if (schema.const !== undefined) return [choiceOf({ const: schema.const })]
  const options = schema.oneOf ?? schema.anyOf
  return options !== undefined && options.every((option) => option.const !== undefined)
    ? options.map(choiceOf)
    : undefined
}

function choiceOf({ const: value, title }: FieldSchema): Choice {
  return { value, title: title ?? (typeof value === 'string' ? value : JSON.stringify(value)) }
}

/** The input for the values of a schema; undefined for objects and lists of objects, which are made of several. */
export function inputKindOf(schema: FieldSchema): InputKind | undefined {
  if (choicesOf(schema) !== undefined) return 'choice'
  const { type, items } = schema
  if (type === 'boolean') return 'switch'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'string') return schema.writeOnly === true || schema.format === 'password' ? 'password' : 'text'
  if (type === 'array') {
    if (items === undefined) return 'json'
    const kind = inputKindOf(items)
    if (kind === 'choice') return 'choices'
    return kind === 'text' || kind === 'number' ? 'tags' : undefined
  }
  if (type === 'object') return schema.properties === undefined && valuesOf(schema) === undefined ? 'json' : undefined
  return schema.properties === undefined && (schema.oneOf ?? schema.anyOf ?? schema.allOf) === undefined
    ? 'json'
    : undefined
}

/** The schema of the values of a map, whose keys the user chooses; undefined for what is no map. */
export function valuesOf({
  properties,
  patternProperties,
  additionalProperties,
}: FieldSchema): FieldSchema | undefined {
  if (properties !== undefined) return undefined
  const [first] = Object.values(patternProperties ?? {})
  return first ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
}

/** The same schema in the form that the form's fields know: without unions that have one member, or plain ones alone. */
export function plainSchema(schema: FieldSchema): FieldSchema {
  const { anyOf, ...rest } = schema
  const [only, ...others] = anyOf ?? []
  if (only !== undefined && others.length === 0) return plainSchema({ ...only, ...rest })
  if (anyOf?.some(({ type }) => type === 'string') === true && anyOf.every((one) => inputKindOf(one) !== undefined)) {
    return choicesOf(schema) === undefined ? { ...rest, type: 'string' } : schema
  }
  const { items, properties } = schema
  const values = valuesOf(schema)
  if (values !== undefined) {
    const { patternProperties: _patterns, ...map } = schema
    return { ...map, additionalProperties: plainSchema(values) }
  }
  return {
    ...schema,
    ...(items && { items: plainSchema(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, plainSchema(one)])),
    }),
  }
}
