import { isIP } from 'node:net'

/**
 * The bytes of an IP address as words of 32 bits in the machine's order, one for IPv4 and four for IPv6, so that copying the
 * words copies the bytes.
 * @returns undefined for a text that is no address, and for one with a zone
 */
export function ipWords(text: string): Uint32Array | undefined {
  const version = isIP(text)
  if (version === 0 || text.includes('%')) return undefined
  const bytes = version === 4 ? ipv4Bytes(text) : ipv6Bytes(text)
  return new Uint32Array(Uint8Array.from(bytes).buffer)
}

function ipv4Bytes(text: string): number[] {
  return text.split('.').map(Number)
}

function ipv6Bytes(text: string): number[] {
  const [before = '', after] = text.split('::')
  const first = groupBytes(before)
  if (after === undefined) return first
  const last = groupBytes(after)
  return [...first, ...Array.from({ length: 16 - first.length - last.length }, () => 0), ...last]
}

function groupBytes(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return ipv4Bytes(group)
    const value = Number.parseInt(group, 16)
    return [value >>> 8, value & 0xff]
  })
}
