import { MalformedError } from '../errors.ts'
import { attributeLine, parseAttribute } from './attribute.ts'
import type { SdpAttribute } from './attribute.ts'
import { parseConnection, serializeConnection } from './connection.ts'
import type { SdpConnection } from './connection.ts'
import { serializeLine } from './line.ts'
import type { SdpLine } from './line.ts'

/** The lines that both a session and each of its media can have. */
export type SdpSection = {
  readonly connection?: SdpConnection
  /** All attributes in their order. */
  readonly attributes: readonly SdpAttribute[]
  /**
   * All other lines, for example `i=`, `b=` and `u=`, further connections, and those that RFC 8866 does not know, such as
   * `y=` and `f=` of GB/T 28181.
   */
  readonly lines: readonly SdpLine[]
}

/** A section that grows while lines are read. */
export type OpenSection = {
  connection?: SdpConnection
  readonly attributes: SdpAttribute[]
  readonly lines: SdpLine[]
}

/** Most attributes of the session, or of one medium. */
export const SDP_MAX_ATTRIBUTES = 2000

/** Lines other than attributes as they have to follow each other (RFC 8866 5): before the times of a session, and after. */
const BEFORE_TIMES = ['i', 'u', 'e', 'p', 'c', 'b']
const AFTER_TIMES = ['r', 'z', 'k']
const ORDERED = new Set([...BEFORE_TIMES, ...AFTER_TIMES])

export function openSection(): OpenSection {
  return { attributes: [], lines: [] }
}

/** Adds a line to the section that it is in. @throws {MalformedError} when there are too many attributes. */
export function addLine(section: OpenSection, line: SdpLine): void {
  if (line.type === 'a') {
    addAttribute(section, line.value)
    return
  }
  const connection = line.type === 'c' && !section.connection ? parseConnection(line.value) : undefined
  if (connection) section.connection = connection
  else section.lines.push(line)
}

function addAttribute({ attributes }: OpenSection, value: string): void {
  const attribute = parseAttribute(value)
  if (!attribute) return
  if (attributes.length === SDP_MAX_ATTRIBUTES) {
    throw new MalformedError(`more than ${SDP_MAX_ATTRIBUTES} attributes in a section of SDP`)
  }
  attributes.push(attribute)
}

/** Writes a section, its lines in the order of the RFC and what that does not know behind. */
export function serializeSection(section: SdpSection, times: readonly SdpLine[]): string {
  const { connection, attributes, lines } = section
  const first = connection ? [{ type: 'c', value: serializeConnection(connection) }] : []
  const ordered = [
    ...BEFORE_TIMES.flatMap((type) => [...(type === 'c' ? first : []), ...linesOf(lines, type)]),
    ...times,
    ...AFTER_TIMES.flatMap((type) => linesOf(lines, type)),
    ...attributes.map(attributeLine),
    ...lines.filter(({ type }) => !ORDERED.has(type)),
  ]
  return ordered.map(serializeLine).join('')
}

function linesOf(lines: readonly SdpLine[], type: string): SdpLine[] {
  return lines.filter((line) => line.type === type)
}
