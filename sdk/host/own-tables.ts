import type {
  AliasNode,
  CommonTableExpressionNameNode,
  CreateIndexNode,
  IdentifierNode,
  KyselyPlugin,
  OperationNode,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  SchemableIdentifierNode,
  UnknownRow,
} from 'kysely'

/** Returns the prefix of a plugin's tables. */
function tablePrefix(plugin: string): string {
  return `${plugin.replaceAll('-', '_')}_`
}

/**
 * Lets the queries of a plugin name tables and indexes that begin with its prefix, and no others. It keeps plugins out of
 * each other's way; SQL that a plugin writes by hand passes unseen.
 */
export class OwnTables implements KyselyPlugin {
  readonly #plugin: string
  readonly #prefixes: readonly string[]

  /** @param former further beginnings of names, of tables that were the server's own */
  constructor(plugin: string, former: readonly string[] = []) {
    this.#plugin = plugin
    this.#prefixes = [tablePrefix(plugin), ...former]
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    const names: Names = { used: [], given: new Set() }
    collect(node, names)
    const isOwn = (name: string) =>
      this.#prefixes.some((prefix) => name.startsWith(prefix)) && name === name.toLowerCase()
    const foreign = names.used.find((name) => !names.given.has(name) && !isOwn(name))
    if (foreign !== undefined) {
      throw new Error(
        `plugin '${this.#plugin}' has no table '${foreign}': the names of its tables and indexes begin with '${this.#prefixes[0]}', ` +
          'in lower case',
      )
    }
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

type Names = {
  readonly used: string[]
  /** The names that the query defines itself (`with`). */
  readonly given: Set<string>
}

function collect(node: OperationNode, names: Names): void {
  switch (node.kind) {
    // Values, and columns: the query names their tables elsewhere.
    case 'ValueNode':
    case 'PrimitiveValueListNode':
    case 'ReferenceNode':
      return
    case 'SchemableIdentifierNode': {
      const { schema, identifier } = node as SchemableIdentifierNode
      names.used.push(schema === undefined ? identifier.name : `${schema.name}.${identifier.name}`)
      return
    }
    case 'CommonTableExpressionNameNode':
      names.given.add((node as CommonTableExpressionNameNode).table.table.identifier.name)
      return
    case 'AliasNode': {
      const { alias } = node as AliasNode
      if (alias.kind === 'IdentifierNode') names.given.add((alias as IdentifierNode).name)
      break
    }
    case 'CreateIndexNode':
      names.used.push((node as CreateIndexNode).name.name)
      break
    default:
  }
  for (const child of Object.values(node).flat() as unknown[]) if (isNode(child)) collect(child, names)
}

function isNode(value: unknown): value is OperationNode {
  return typeof value === 'object' && value !== null && 'kind' in value
}
