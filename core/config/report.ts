import { Document, isCollection, type Node } from 'yaml'
import type { Config } from './config.ts'
import { ConfigError, type Problem } from './config-error.ts'
import type { SectionDefinition } from './schema.ts'
import type { ConfigEntry } from './section.ts'

/**
 * The effective config as YAML: `global` and these plugins, which it declares, with the source of each value as a comment
 * and secrets masked; what is odd comes first, as comments. Throws one `ConfigError` for all sections that are wrong.
 */
export function configReport(config: Config, definitions: readonly SectionDefinition[]): string {
  const problems: Problem[] = []
  for (const definition of definitions) {
    try {
      config.declare(definition)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)

  const document = new Document({})
  for (const section of ['global', ...config.declared]) {
    for (const entry of config.describe(section)) addEntry(document, section, entry)
  }
  const remarks = [
    ...config.warnings(),
    ...config.undeclaredSections().map(({ name, line }) => `line ${line}: there is no plugin '${name}' (yet)`),
  ]
  return remarks.map((remark) => `# ${remark}\n`).join('') + document.toString({ lineWidth: 0 })
}

function addEntry(document: Document, section: string, { key, value, source }: ConfigEntry): void {
  const node: Node = document.createNode(value)
  // A comment would otherwise end up behind the last element.
  if (isCollection(node)) node.flow = true
  node.comment = ` ${source}`
  document.setIn([section, ...key.split('.')], node)
}
