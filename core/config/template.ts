import { Document, isCollection, isScalar, Pair, Scalar, YAMLMap, type Node } from 'yaml'
import { INHERITED, isGroup, leavesOf, type GroupSchema } from './schema.ts'
import type { Section } from './section.ts'

const COMMON: ReadonlySet<string> = new Set(['enable', ...leavesOf(INHERITED).map(({ path }) => path)])

/**
 * Sections of a config file, as YAML: all their keys with the values that they have without the user's, and their
 * descriptions as comments.
 * @param hasCommon true to include the keys that every plugin has
 */
export function configTemplate(sections: readonly Section[], hasCommon: boolean): string {
  const root = new YAMLMap()
  for (const section of sections) {
    const isWanted = (path: string) => hasCommon || section.name === 'global' || !COMMON.has(path)
    root.add(pairOf(section.name, groupNode(section, section.schema, '', isWanted), undefined))
  }
  const document = new Document()
  document.contents = root
  return document.toString({ lineWidth: 0 })
}

function groupNode(section: Section, group: GroupSchema, prefix: string, isWanted: (path: string) => boolean): YAMLMap {
  const map = new YAMLMap()
  for (const [name, schema] of Object.entries(group.properties)) {
    const path = prefix + name
    if (isGroup(schema)) {
      const inner = groupNode(section, schema, `${path}.`, isWanted)
      if (inner.items.length > 0) map.add(pairOf(name, inner, schema.title))
    } else if (isWanted(path))
      map.add(pairOf(name, valueNode(section.inherited(path)?.shown ?? null), schema.description))
  }
  return map
}

function pairOf(name: string, value: Node, comment: string | undefined): Pair {
  const key = new Scalar(name)
  if (comment !== undefined) key.commentBefore = ` ${comment.replaceAll('\n', '\n ')}`
  return new Pair(key, value)
}

function valueNode(value: unknown): Node {
  const node: Node = new Document().createNode(value)
  if (isCollection(node)) node.flow = true
  // An empty value would look like the beginning of a group.
  if (isScalar(node) && value === null) node.source = 'null'
  return node
}
