import { Answer } from '../answer.ts'
import { inPath } from '../api-client.ts'
import type { Command, CommandContext } from '../command.ts'
import { CommandError, UsageError } from '../../command-error.ts'
import { table, type Column } from '../../terminal/table.ts'
import { sectionValues, type ConfigValue } from '../section-values.ts'

/** A section, and the dotted path of a key or a group in it. */
type Place = { readonly section: string; readonly key: string | undefined }

const SECTION_COLUMNS: readonly Column<Answer>[] = [
  { title: 'SECTION', value: (section) => section.text('name') },
  { title: 'ENABLED', value: (section) => (section.is('enabled') ? 'yes' : 'no') },
  { title: 'SET AT RUN TIME', value: (section) => (section.is('modified') ? 'yes' : 'no') },
]

const VALUE_COLUMNS: readonly Column<ConfigValue>[] = [
  { title: 'KEY', value: ({ key }) => key },
  { title: 'VALUE', value: ({ value }) => valueText(value) },
  { title: 'FROM', value: ({ source }) => source },
]

/** The commands for the config of a running server (api.md 10). */
export const CONFIG_COMMANDS: readonly Command[] = [
  {
    name: 'config get',
    args: ['[SECTION]', '[KEY]'],
    summary: 'what holds, and where it comes from',
    details: 'Without SECTION, the sections; KEY may be that of a group. SECTION.KEY is the same as SECTION KEY.',
    run: getConfig,
  },
  {
    name: 'config set',
    args: ['SECTION.KEY', '[VALUE]'],
    summary: 'set a key, as long as nobody resets it',
    details: 'VALUE is JSON, or a plain text as 5s. Without it, it is asked for: other users can see a command line.',
    async run({ api, args: [name = '', given], output, prompt }) {
      const { section, key } = placeOf(name)
      if (key === undefined) throw new UsageError(`"${name}" names no key; write SECTION.KEY, as rtmp.chunksize`)
      const value = valueOf(given ?? (await prompt.askSecret(`Value of ${name}`)))
      const config = key.split('.').reduceRight((inner: unknown, part) => ({ [part]: inner }), value)
      const answer = await api.put(`/config/${inPath(section)}`, { config }, noSection(section))
      applied(output, changeOf(answer), `Set ${name}`)
    },
  },
  {
    name: 'config reset',
    args: ['SECTION[.KEY]'],
    summary: 'take back what was set at run time',
    async run({ api, args: [name = ''], output }) {
      const { section, key } = placeOf(name)
      const body = key === undefined ? {} : { keys: [key] }
      applied(output, await api.post(`/config/reset/${inPath(section)}`, body, noSection(section)), `Reset ${name}`)
    },
  },
]

async function getConfig({ api, args: [name, key], output }: CommandContext): Promise<void> {
  if (name === undefined) {
    const sections = await api.get('/config/')
    output.show(sections, (width) => table(SECTION_COLUMNS, Answer.listOf(sections), width))
    return
  }
  const place = placeOf(key === undefined ? name : `${name}.${key}`)
  const view = await api.get(`/config/${inPath(place.section)}`, noSection(place.section))
  if (place.key === undefined) {
    output.show(view, (width) => table(VALUE_COLUMNS, sectionValues(new Answer(view)), width))
    return
  }
  const values = sectionValues(new Answer(view), place.key)
  const [first] = values
  if (first === undefined) throw new CommandError(`there is no key ${place.key} in ${place.section}`)
  const json = values.length === 1 ? first.value : Object.fromEntries(values.map(({ key, value }) => [key, value]))
  output.show(json, (width) => table(VALUE_COLUMNS, values, width))
}

/** Prints the result of a change. */
function applied(output: CommandContext['output'], json: unknown, done: string): void {
  const later = new Answer(json).is('requires_restart') ? '; it holds from the next start of the server' : ''
  output.done(`${done}${later}`, json)
}

/** Returns the changed values of an answer to a change, which has the whole section. */
function changeOf(json: unknown): unknown {
  const answer = new Answer(json)
  const changed = changedKeys(answer.value('changed')).flatMap((key) => sectionValues(answer, key))
  const rest = answer.names.filter((name) => !['config', 'sources', 'inherited'].includes(name))
  return {
    ...Object.fromEntries(rest.map((name) => [name, answer.value(name)])),
    values: Object.fromEntries(changed.map(({ key, value }) => [key, value])),
  }
}

function changedKeys(listed: unknown): string[] {
  return Array.isArray(listed) ? listed.filter((key) => typeof key === 'string') : []
}

function placeOf(name: string): Place {
  const [section = '', ...path] = name.split('.')
  return { section, key: path.length === 0 ? undefined : path.join('.') }
}

function noSection(section: string): string {
  return `there is no section ${section}; sluice ctl config get lists them`
}

/** Returns the value of a JSON text, or another text as it is. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
