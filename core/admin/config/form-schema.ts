import { keyTitle } from '../../config/key-title.ts'
import { isGroup, type GroupSchema, type JsonSchema } from '../../config/schema.ts'
import type { Section } from '../../config/section.ts'
import { choicesOf } from './choices.ts'

/** A node of a form, as Formily takes it. */
type FormNode = {
  readonly type: string
  readonly title?: string
  readonly description?: string | undefined
  readonly default?: unknown
  readonly enum?: readonly { readonly label: string; readonly value: unknown }[]
  readonly properties?: Readonly<Record<string, FormNode>>
  readonly 'x-component'?: string
  readonly 'x-component-props'?: Readonly<Record<string, unknown>>
  readonly 'x-decorator'?: string
  readonly 'x-decorator-props'?: Readonly<Record<string, unknown>>
}

/** The form of a section as JSON text: its effective values and their sources, secrets masked. */
export function formText(section: Section): string {
  const form: FormNode = { type: 'object', properties: groupNodes(section, section.schema, '') }
  return JSON.stringify(form)
}

function groupNodes(section: Section, group: GroupSchema, prefix: string): Readonly<Record<string, FormNode>> {
  const nodes = Object.entries(group.properties).map(([name, schema]): [string, FormNode] => {
    const path = prefix + name
    if (!isGroup(schema)) return [name, leafNode(section, schema, path)]
    const title = schema.title ?? keyTitle(name)
    const properties = groupNodes(section, schema, `${path}.`)
    return [name, { type: 'object', properties, 'x-component': 'Card', 'x-component-props': { title } }]
  })
  return Object.fromEntries(nodes)
}

function leafNode(section: Section, schema: JsonSchema, path: string): FormNode {
  const { title = keyTitle(path.slice(path.lastIndexOf('.') + 1)) } = schema
  const layers = section.layersOf(path)
  return {
    title,
    description: schema.description,
    ...(layers[0] && { default: layers[0].shown }),
    ...widget(schema),
    'x-decorator': 'FormItem',
    'x-decorator-props': {
      tooltip: layers.map(({ source, shown }) => `${source}: ${JSON.stringify(shown)}`).join(', '),
    },
  }
}

type Widget = Pick<FormNode, 'type' | 'enum' | 'x-component' | 'x-component-props'>

function widget(schema: JsonSchema): Widget {
  const { type = 'string', writeOnly, minimum, maximum } = schema
  const choices = choicesOf(schema)
  if (writeOnly === true) return { type, 'x-component': 'Password' }
  if (choices !== undefined) {
    const options = choices.map(({ value, title }) => ({
      label: title ?? (typeof value === 'string' ? value : JSON.stringify(value)),
      value,
    }))
    return { type: typeof choices[0]?.value, enum: options, 'x-component': 'Select' }
  }
  switch (type) {
    case 'boolean':
      return { type, 'x-component': 'Switch' }
    case 'integer':
    case 'number':
      return { type: 'number', 'x-component': 'NumberPicker', 'x-component-props': { min: minimum, max: maximum } }
    case 'array':
      return { type, 'x-component': 'Select', 'x-component-props': { mode: 'tags' } }
    case 'object':
      return { type, 'x-component': 'Input.TextArea' }
    default:
      return { type: 'string', 'x-component': 'Input' }
  }
}
