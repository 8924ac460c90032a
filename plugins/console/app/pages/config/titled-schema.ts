import type { KeySchema } from './section-model.ts'

type Titles = Readonly<Record<string, string>>

/** A schema with other titles for its keys: by the dotted path, else by the title that they have, else by their name. */
export function withTitles(schema: KeySchema, titles: Titles, path = ''): KeySchema {
  const { properties, patternProperties, items, anyOf } = schema
  const titled = (one: KeySchema) => withTitles(one, titles, path)
  return {
    ...schema,
    ...(items && { items: titled(items) }),
    ...(anyOf && { anyOf: anyOf.map(titled) }),
    ...(patternProperties && { patternProperties: mapped(patternProperties, titled) }),
    ...(properties && {
      properties: mapped(properties, (one, name) => {
        const inner = path === '' ? name : `${path}.${name}`
        const { title = name } = one
        return { ...withTitles(one, titles, inner), title: titles[inner] ?? titles[title] ?? titles[name] ?? title }
      }),
    }),
  }
}

function mapped(schemas: Readonly<Record<string, KeySchema>>, map: (schema: KeySchema, name: string) => KeySchema) {
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, map(one, name)]))
}
