import { InvalidRequest, Type, type OperationRegistry, type Static } from 'sluice/sdk'
import type { EditOptions, EditOutcome } from '../../config/config-editor.ts'
import type { Config } from '../../config/config.ts'
import type { Section } from '../../config/section.ts'
import { annotatedSchema } from './annotated-schema.ts'
import type { ConfigParts } from './config-operations.ts'
import { KeyView, keyViews, SectionValues, SectionView, sectionView, shownValues } from './section-views.ts'
import { writtenSchema } from './written-schema.ts'

const NAMED = Type.Object({ plugin: Type.String({ description: 'The name of a plugin, or `global`' }) })

const Revision = Type.Optional(
  Type.Integer({ minimum: 0, description: 'That which the change was made from; with another one now, it is refused' }),
)

const SectionSummary = Type.Object({
  name: Type.String(),
  enabled: Type.Boolean(),
  modified: Type.Boolean({ description: 'Something was set at run time' }),
  revision: Type.Integer(),
})

/** The body of a change: values of the section alone, or beside other terms under `config`. */
const Change = Type.Unsafe<unknown>({
  type: 'object',
  description:
    'Some keys of the section, or { config, revision, persistent } with them. Null takes back what was set for a key; ' +
    'persistent: false holds until the server ends',
})

const Done = Type.Object({
  changed: Type.Array(Type.String(), { description: 'Keys that have another value now' }),
  requires_restart: Type.Boolean(),
  restart_keys: Type.Array(Type.String(), { description: 'Those that hold from the next start of the server' }),
  revision: Type.Integer(),
})

const EditedSection = Type.Object({ ...SectionView.properties, ...Done.properties })

/** The operations of the config in 6.x (api.md 10). */
export function addSectionOperations(operations: OperationRegistry, parts: ConfigParts): void {
  addViews(operations, parts)
  addEdits(operations, parts)
  addApiConfigPaths(operations, parts)
}

function addViews(operations: OperationRegistry, { config, editor, definitionOf }: ConfigParts): void {
  operations.add({
    method: 'GET',
    path: '/config/',
    aliases: ['/config', '/api/config/', '/api/config'],
    summary: 'List the sections of the config',
    answer: Type.Array(SectionSummary),
    handle: () => config.sections.map((section) => summaryOf(config, section)),
  })

  operations.add({
    method: 'GET',
    path: '/config/{plugin}',
    summary: 'Get a section of the config',
    params: NAMED,
    answer: SectionView,
    handle: ({ params: { plugin } }) => sectionView(config, editor.sectionOf(plugin), editor.canStore),
  })

  operations.add({
    method: 'GET',
    path: '/config/schema/{plugin}',
    summary: 'Get the JSON Schema of a section of the config',
    params: NAMED,
    answer: SectionValues,
    handle({ params: { plugin } }) {
      const section = editor.sectionOf(plugin)
      return writtenSchema(annotatedSchema(section, definitionOf(section.name)))
    },
  })

  operations.add({
    method: 'GET',
    path: '/config/debug/{plugin}',
    summary: 'Get the keys of a section with all that is set for them',
    params: NAMED,
    answer: Type.Array(KeyView),
    handle: ({ params: { plugin } }) => keyViews(config, editor.sectionOf(plugin)),
  })

  operations.add({
    method: 'GET',
    path: '/config/debug',
    summary: 'Get the keys of all sections with all that is set for them',
    answer: Type.Array(Type.Object({ section: Type.String(), keys: Type.Array(KeyView) })),
    handle: () => config.sections.map((section) => ({ section: section.name, keys: keyViews(config, section) })),
  })
}

function addEdits(operations: OperationRegistry, { config, editor }: ConfigParts): void {
  operations.add({
    method: 'PUT',
    path: '/config/{plugin}',
    summary: 'Set keys of a section of the config',
    params: NAMED,
    body: Change,
    answer: EditedSection,
    reach: 'one',
    async handle({ params: { plugin }, body, user }) {
      const { values, options } = readChange(body, editor.sectionOf(plugin), user)
      const outcome = await editor.modify(plugin, values, options)
      return { ...sectionView(config, editor.sectionOf(plugin), editor.canStore), ...doneOf(config, plugin, outcome) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/config/validate',
    summary: 'Check keys of a section of the config, and set nothing',
    body: Type.Object({ plugin: Type.String(), config: SectionValues }),
    answer: Type.Object({
      valid: Type.Boolean(),
      problems: Type.Array(Type.Object({ key: Type.String(), message: Type.String() })),
    }),
    handle({ body }) {
      const problems = editor.problemsOf(body.plugin, body.config)
      return { valid: problems.length === 0, problems: problems.map(({ key, message }) => ({ key, message })) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/config/reset/{plugin}',
    summary: 'Take back what was set at run time',
    params: NAMED,
    body: Type.Object({
      keys: Type.Optional(Type.Array(Type.String(), { description: 'Dotted, of keys or groups; all unless given' })),
      revision: Revision,
    }),
    answer: Done,
    reach: 'one',
    async handle({ params: { plugin }, body: { keys, revision }, user }) {
      const outcome = await editor.reset(plugin, keys, { by: user, revision })
      return doneOf(config, plugin, outcome)
    },
  })
}

const KeptSection = Type.Object({
  config: SectionValues,
  persistent: Type.Boolean({ description: 'What was set at run time outlives the server' }),
})

/** Adds the operations of a section at the paths below `/api/config/`. */
function addApiConfigPaths(operations: OperationRegistry, { config, editor, restart }: ConfigParts): void {
  operations.add({
    method: 'GET',
    path: '/api/config/{plugin}',
    summary: 'Get a section of the config, and whether what was set in it stays',
    params: NAMED,
    answer: KeptSection,
    handle: ({ params: { plugin } }) => keptSection(config, editor.sectionOf(plugin)),
  })

  operations.add({
    method: 'PUT',
    path: '/api/config/{plugin}',
    summary: 'Set keys of a section of the config, for good or until the server ends',
    params: NAMED,
    body: Change,
    answer: Type.Object({ ...KeptSection.properties, ...Done.properties }),
    reach: 'one',
    async handle({ params: { plugin }, body, user }) {
      const { values, options } = readChange(body, editor.sectionOf(plugin), user)
      const outcome = await editor.modify(plugin, values, options)
      return { ...keptSection(config, editor.sectionOf(plugin)), ...doneOf(config, plugin, outcome) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/config/{plugin}/reload',
    summary: 'Read the config file anew, and start the plugin anew',
    params: NAMED,
    reach: 'all',
    async handle({ params: { plugin } }) {
      const { name } = editor.sectionOf(plugin)
      await editor.reload()
      if (name !== 'global') await restart(name)
    },
  })
}

function summaryOf(config: Config, { name, config: { enabled } }: Section): Static<typeof SectionSummary> {
  const { modified } = config
  return { name, enabled, modified: modified.of(name).length > 0, revision: modified.revisionOf(name) }
}

function keptSection(config: Config, section: Section): Static<typeof KeptSection> {
  return {
    config: shownValues(section),
    persistent: config.modified.of(section.name).every(({ isStored }) => isStored),
  }
}

function doneOf(config: Config, plugin: string, { keys, keysFromNextStart }: EditOutcome): Static<typeof Done> {
  return {
    changed: [...keys],
    requires_restart: keysFromNextStart.length > 0,
    restart_keys: [...keysFromNextStart],
    revision: config.modified.revisionOf(plugin),
  }
}

type Sent = Readonly<Record<string, unknown>>

/**
 * The values that a change brings, and the terms that may stand beside them.
 * @throws {InvalidRequest} when a term is not valid
 */
function readChange(body: unknown, section: Section, by: string): { values: unknown; options: EditOptions } {
  const sent = body as Sent
  const isNamed = typeof sent['config'] === 'object' && section.schema.properties['config'] === undefined
  if (!isNamed) return { values: sent, options: { by } }
  const { config: values, revision, persistent = true } = sent
  if (revision !== undefined && !Number.isSafeInteger(revision)) throw new InvalidRequest('revision must be an integer')
  if (typeof persistent !== 'boolean') throw new InvalidRequest('persistent must be true or false')
  return { values, options: { by, revision: revision as number | undefined, isStored: persistent } }
}
