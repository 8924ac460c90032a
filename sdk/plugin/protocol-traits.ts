/** An address scheme of a protocol. */
export type SchemeTraits = {
  /** The TCP port of addresses that name none; left out where they are not reached by TCP. */
  readonly tcpPort?: number
}

/**
 * The traits by which others recognize the protocol that a plugin speaks: the server, its config check, and plugins such as the proxies.
 * They are in the definition, so they hold while the plugin does not run, too.
 */
export type ProtocolTraits = {
  /** The number by which clients of the API may name it, as the `type` of a proxy; each protocol has its own. */
  readonly number?: number
  /** The schemes of its addresses, without colon. */
  readonly schemes?: Readonly<Record<string, SchemeTraits>>
  /** Parts of the paths of its addresses over HTTP, between two slashes, in lower case: `whep`. */
  readonly pathParts?: readonly string[]
  /** The endings of its addresses' paths, in lower case: `.m3u8`. */
  readonly endings?: readonly string[]
  /** The first byte that its clients send. By it, the server recognizes a client on a port of plain HTTP, and names the right address. */
  readonly firstByte?: number
}

type Named = { readonly name: string; readonly protocol?: ProtocolTraits | undefined }

/** Returns the name of the plugin that speaks the protocol of an address: by its scheme, else a part of its path, else its ending. */
export function protocolOfUrl(url: string, plugins: readonly Named[]): string | undefined {
  const parsed = URL.parse(url)
  const scheme = parsed?.protocol.slice(0, -1)
  const path = parsed?.pathname ?? url
  const parts = path.split('/')
  const file = path.toLowerCase()
  const plugin =
    plugins.find(({ protocol }) => scheme !== undefined && Object.hasOwn(protocol?.schemes ?? {}, scheme)) ??
    plugins.find(({ protocol }) => protocol?.pathParts?.some((part) => parts.includes(part))) ??
    plugins.find(({ protocol }) => protocol?.endings?.some((ending) => file.endsWith(ending)))
  return plugin?.name
}
