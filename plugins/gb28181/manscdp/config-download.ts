import type { XmlElement } from './element.ts'
import type { ManscdpMessage } from './message.ts'
import type { GbConfigType } from './queries.ts'
import { isResultOk } from './result.ts'

/** A part of a device's configuration: its texts by their names, or what they hold. */
export type GbConfigValue = string | readonly (readonly [name: string, value: GbConfigValue])[]

/** An answer to a query of the configuration (A.2.6.9 of GB/T 28181-2022). */
export type ConfigDownload = {
  readonly isOk: boolean
  readonly parts: ReadonlyMap<GbConfigType, GbConfigValue>
}

/** The affixes of a part's name on devices that have their own, as Uniview's. */
const DECORATION = /^(?:get|set)|(?:cfg|config|configuration|info|params?)+$/giu

/**
 * Reads an answer to a query of the configuration.
 * @param types the parts that were asked for
 */
export function parseConfigDownload(message: ManscdpMessage, types: readonly GbConfigType[]): ConfigDownload {
  const parts = types.flatMap((type): [GbConfigType, GbConfigValue][] => {
    const element = partOf(message.root, type)
    return element === undefined ? [] : [[type, valueOf(element)]]
  })
  return { isOk: isResultOk(message), parts: new Map(parts) }
}

/** The element of a part: that of its name, or one whose name is like it. */
function partOf(root: XmlElement, type: GbConfigType): XmlElement | undefined {
  return root.child(type) ?? root.children.find(({ name }) => plain(name) === plain(type))
}

function plain(name: string): string {
  return name
    .replace(DECORATION, '')
    .replace(/[^a-z\d]/giu, '')
    .toLowerCase()
}

function valueOf({ value, children }: XmlElement): GbConfigValue {
  return children.length === 0 ? value : children.map((child) => [child.name, valueOf(child)])
}
