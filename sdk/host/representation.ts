import { stringify } from 'yaml'

/** An answer as it goes on the wire. */
export type Representation = { readonly contentType: string; readonly text: string }

export const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON, also for a text, which fastify would send as it is. */
export function jsonOf(value: unknown): Representation {
  return { contentType: JSON_TYPE, text: JSON.stringify(value) }
}

/**
 * A value without an envelope in the form that `format` of the query asks for (api.md 1.2).
 * @returns undefined when it asks for none
 */
export function formatted(value: unknown, format: unknown): Representation | undefined {
  if (format === 'yaml') return { contentType: 'application/yaml; charset=utf-8', text: stringify(value) }
  return format === 'json' ? jsonOf({ code: 0, data: value, msg: 'success' }) : undefined
}
