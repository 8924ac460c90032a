import { Document, isCollection } from 'yaml'
import { setCommented } from './commented-yaml.ts'
import type { Config } from './config.ts'
import { ConfigError, type Problem } from './config-error.ts'
import { referenceProblems } from './references.ts'
import type { SectionDefinition } from './schema.ts'
import { undeclaredRemark } from './undeclared.ts'

type ReportOptions = {
  /**
   * True for every key, false for only the keys whose value differs from the one that they would have anyway. Default false.
   */
  readonly all?: boolean
}

/**
 * The text for a config without errors: its warnings as comments, and the values that differ from the defaults as YAML:
 * those of `global` and of these plugins, which it declares, with the source of each value as a comment and secrets masked.
 * @throws {ConfigError} with all errors: in the sections, in their names, and in the files and addresses of sections that
 * have no other error
 */
export async function configReport(
  config: Config,
  definitions: readonly SectionDefinition[],
  { all = false }: ReportOptions = {},
): Promise<string> {
  const problems = [...config.problems, ...declareAll(config, definitions)]
  for (const section of config.undeclaredSections(definitions.map(({ name }) => name))) {
    if (section.meant !== undefined) problems.push({ ...section.place, key: '', message: undeclaredRemark(section) })
  }
  const schemes = definitions.flatMap(({ protocol }) => Object.keys(protocol?.schemes ?? {}))
  problems.push(...(await referenceProblems(config.sections, schemes)))
  if (problems.length > 0) throw new ConfigError(problems)

  const document = new Document({})
  for (const { name } of config.sections) {
    for (const { key, value, source, differs } of config.describe(name)) {
      if (all || differs) setCommented(document, [name, ...key.split('.')], value, source)
    }
  }
  const isEmpty = isCollection(document.contents) && document.contents.items.length === 0
  const found = isEmpty ? 'nothing differs from the defaults' : 'below is what differs from the defaults'
  const title = `ok: ${config.file ?? 'no config file'}${all ? '' : `; ${found}, and --all shows the rest`}`
  const comments = [title, ...config.warnings()].map((line) => `# ${line}\n`).join('')
  return isEmpty ? comments : comments + document.toString({ lineWidth: 0 })
}

/** Declares plugins, and returns the errors in their sections. */
function declareAll(config: Config, definitions: readonly SectionDefinition[]): Problem[] {
  return definitions.flatMap((definition) => {
    try {
      config.declare(definition)
      return []
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.problems
    }
  })
}
