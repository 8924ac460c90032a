import { BlockList, isIP, SocketAddress } from 'node:net'

/** A list of networks by address (`127.0.0.1`, `::1`) or by prefix (`10.0.0.0/8`, `2001:db8::/32`). */
export class NetworkList {
  readonly #networks = new BlockList()
  /** True when the list has no networks. */
  readonly isEmpty: boolean

  /** @param networks texts that `isNetwork` accepts */
  constructor(networks: readonly string[]) {
    this.isEmpty = networks.length === 0
    for (const network of networks) {
      const { ip, prefix } = splitNetwork(network)
      this.#networks.addSubnet(ip, prefix, familyOf(ip))
    }
  }

  /** @param ip an address from `normalizeIp`; a text that is no address is in no network */
  includes(ip: string): boolean {
    return !this.isEmpty && isIP(ip) !== 0 && this.#networks.check(ip, familyOf(ip))
  }
}

/** The networks of a config key at the present time. */
export class ConfiguredNetworks implements Pick<NetworkList, 'isEmpty' | 'includes'> {
  readonly #read: () => readonly string[]
  #texts: readonly string[] = []
  #list = new NetworkList([])

  constructor(read: () => readonly string[]) {
    this.#read = read
  }

  get isEmpty(): boolean {
    return this.#current().isEmpty
  }

  /** @param ip an address from `normalizeIp` */
  includes(ip: string): boolean {
    return this.#current().includes(ip)
  }

  #current(): NetworkList {
    const texts = this.#read()
    if (texts !== this.#texts) this.#list = new NetworkList(texts)
    this.#texts = texts
    return this.#list
  }
}

/** True when a text is an address or a network. */
export function isNetwork(text: string): boolean {
  if (!/^[\da-f.:]+(?:\/\d{1,3})?$/iu.test(text)) return false
  const { ip, prefix } = splitNetwork(text)
  return isIP(ip) !== 0 && prefix <= (isIP(ip) === 4 ? 32 : 128)
}

/** Returns an address in its one spelling, without the mapping of IPv4 into IPv6; undefined for any other text. */
export function normalizeIp(text: string): string | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  const { address } = new SocketAddress({ address: text, family: familyOf(text) })
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}

function splitNetwork(text: string): { readonly ip: string; readonly prefix: number } {
  const [ip = '', prefix] = text.split('/')
  return { ip, prefix: prefix === undefined ? (isIP(ip) === 4 ? 32 : 128) : Number(prefix) }
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIP(ip) === 6 ? 'ipv6' : 'ipv4'
}
