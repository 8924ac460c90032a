import { InvalidRequest, quoted, type PluginDirectory } from 'sluice/sdk'

/** The numbers of protocols that the API knows and no plugin speaks yet; the others are in the definitions of their plugins. */
const FURTHER_NUMBERS: readonly (readonly [number, string])[] = [
  [8, 'gb28181'],
  [9, 'h264'],
  [10, 'h265'],
]
/** The form of a type, which is the name of a plugin. */
const TYPE = /^[a-z][a-z0-9-]{0,63}$/u
const DIGITS = /^\d+$/u
/** A device of GB28181 and one of its channels. */
const GB28181 = /^\d{20}\/\d{20}$/u

/** The types of proxies: the protocols that the plugins of the server speak. */
export interface ProxyTypes {
  /**
   * Returns the type that a client has written by its name or number; empty when the address decides.
   * @throws {InvalidRequest} when there is no such type
   */
  read(written: string | number): string
  /** Returns the type of an address (config.md 7); undefined when that shows none. */
  of(url: string): string | undefined
}

/**
 * Creates the types of proxies of one direction.
 * @param protocolOf returns the plugin that pulls or pushes an address which no definition recognizes; undefined when there is none
 */
export function proxyTypes(
  plugins: Pick<PluginDirectory, 'list' | 'protocolOf'>,
  protocolOf: (url: string) => string | undefined,
): ProxyTypes {
  return {
    read: (written) => readType(written, plugins),
    of: (url) => (GB28181.test(url) ? 'gb28181' : (plugins.protocolOf(url) ?? protocolOf(url))),
  }
}

function readType(written: string | number, plugins: Pick<PluginDirectory, 'list'>): string {
  const text = String(written).trim().toLowerCase()
  if (text === '' || TYPE.test(text)) return text
  const numbers = new Map([[0, ''], ...FURTHER_NUMBERS])
  for (const { name, protocol } of plugins.list()) {
    if (protocol?.number !== undefined) numbers.set(protocol.number, name)
  }
  const named = DIGITS.test(text) ? numbers.get(Number(text)) : undefined
  if (named !== undefined) return named
  const last = Math.max(...numbers.keys())
  throw new InvalidRequest(`type: expected the name of a protocol or a number from 0 to ${last}, found ${quoted(text)}`)
}
