import { Type, type OperationRegistry, type PluginDefinition } from 'sluice/sdk'
import type { Config } from '../../config/config.ts'
import type { ConfigEditor } from '../../config/config-editor.ts'
import { MODIFICATION_PLACE } from '../../config/modifications.ts'
import { configTemplate } from '../../config/template.ts'
import { YamlSource } from '../../config/yaml-source.ts'
import { formText } from './form-schema.ts'
import { layerText, mergedText, SectionValues, shownValues } from './section-views.ts'

const NAMED = Type.Object({ name: Type.String({ description: '`global`, or the name of a plugin' }) })

const Texts = Type.Object({
  file: Type.String({ description: 'What the file says, as YAML' }),
  modified: Type.String({ description: 'What was set at run time, as YAML' }),
  merged: Type.String({ description: 'What holds' }),
})

/** The parts of the server that the operations of the config act on. */
export type ConfigParts = {
  readonly config: Config
  readonly editor: ConfigEditor
  /** Replaces the running generation of a plugin. */
  readonly restart: (plugin: string) => Promise<unknown>
  /** Returns the definition of a section's plugin; undefined for `global`. */
  readonly definitionOf: (plugin: string) => PluginDefinition | undefined
}

/** The operations of the config in 5.x (api.md 3.1, 3.2). */
export function addConfigOperations(operations: OperationRegistry, parts: ConfigParts): void {
  addFileOperations(operations, parts)
  addReadingOperations(operations, parts)
  addModifyOperations(operations, parts)
}

function addFileOperations(operations: OperationRegistry, { editor }: ConfigParts): void {
  operations.add({
    method: 'GET',
    path: '/api/config/file',
    summary: 'Get config file content',
    // The answer contains the secrets.
    access: 'admin',
    answer: Type.String(),
    handle: () => editor.fileText(),
  })

  operations.add({
    method: 'POST',
    path: '/api/config/file/update',
    summary: 'Update config file',
    body: Type.String({ description: 'The whole text, as a JSON string or as text/plain' }),
    reach: 'one',
    handle: ({ body, user }) => editor.writeFile(body, user),
  })
}

function addReadingOperations(operations: OperationRegistry, { config, editor }: ConfigParts): void {
  operations.add({
    method: 'GET',
    path: '/api/config/yaml/all',
    summary: 'Get all config templates',
    query: Type.Object({
      name: Type.Optional(Type.String({ description: 'One section; all unless given' })),
      common: Type.Boolean({ default: true, description: 'With the keys that every plugin has' }),
    }),
    answer: Type.String(),
    contentType: 'text/yaml; charset=utf-8',
    handle: ({ query: { name, common } }) =>
      configTemplate(name === undefined ? config.sections : [editor.sectionOf(name)], common),
  })

  operations.add({
    method: 'GET',
    path: '/api/config/get/{name}',
    summary: 'Get single config',
    params: NAMED,
    answer: Texts,
    handle({ params: { name } }) {
      const section = editor.sectionOf(name)
      return {
        file: layerText(section, 'file'),
        modified: layerText(section, 'modify'),
        merged: mergedText(section),
      }
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/config/formily/{name}',
    summary: 'Get single config as a form',
    params: NAMED,
    answer: Texts,
    handle({ params: { name } }) {
      const section = editor.sectionOf(name)
      return { file: layerText(section, 'file'), modified: layerText(section, 'modify'), merged: formText(section) }
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/config/json/{name}',
    summary: 'Get single config as JSON',
    params: NAMED,
    answer: SectionValues,
    wire: 'bare',
    handle: ({ params: { name } }) => shownValues(editor.sectionOf(name)),
  })
}

function addModifyOperations(operations: OperationRegistry, { editor }: ConfigParts): void {
  const modify = async (name: string, yaml: string, by: string) => {
    await editor.modify(name, YamlSource.parse(MODIFICATION_PLACE, yaml), { by })
    await editor.backUpFile()
  }

  operations.add({
    method: 'POST',
    path: '/api/config/modify',
    summary: 'Modify config',
    body: Type.Object({ name: Type.String(), yaml: Type.String({ description: 'Some keys of the section' }) }),
    reach: 'one',
    handle: ({ body: { name, yaml }, user }) => modify(name, yaml, user),
  })

  operations.add({
    method: 'POST',
    path: '/api/config/modify/{name}',
    summary: 'Modify config, as older clients do',
    params: NAMED,
    body: Type.String({ description: 'Some keys of the section, as YAML' }),
    reach: 'one',
    handle: ({ params: { name }, body, user }) => modify(name, body, user),
  })
}
