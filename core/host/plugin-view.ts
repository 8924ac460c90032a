import type { PluginDefinition, TcpListener, UdpListener } from 'sluice/sdk'
import type { ListedPage } from 'sluice/sdk/host'
import { availabilityIn, disableReasonIn, type EntryState } from './entry-state.ts'
import type { PluginSection } from './generation/generation-parts.ts'

/** A snapshot of a plugin for the API and the log. */
export type PluginView = {
  /** The plugin's name; the name of its file or folder when it could not be loaded. */
  readonly name: string
  readonly version: string
  readonly description: string
  /** The number of successful starts of the plugin. */
  readonly generation: number
  /** `disabled` after a failure; `off` by its config, or that of a required plugin, or when another process runs it. */
  readonly state: 'running' | 'starting' | 'disabled' | 'off'
  /** The reason why it does not run; undefined when it does. */
  readonly disableReason: string | undefined
  /** The reason why its newest code or config could not take over; the generation before goes on. */
  readonly lastError: string | undefined
  readonly definition: PluginDefinition | undefined
  /** The config, with the addresses that are really listened on where they differ from the configured ones. */
  readonly config: PluginSection | undefined
  /** The addresses of the TCP listeners, without those of HTTP. */
  readonly listeners: TcpListener['addresses']
  /** The addresses of the UDP listeners. */
  readonly udpListeners: readonly UdpListener['address'][]
  /** The pages that it has while it runs, by their addresses on the server; undefined where it names none. */
  readonly pages: readonly ListedPage[] | undefined
  /** The durations of the newest load and setup. */
  readonly loadMs: number
  readonly setupMs: number
}

type ViewSource = Pick<PluginView, 'name' | 'definition' | 'generation' | 'loadMs' | 'setupMs'> & {
  readonly section: PluginSection | undefined
  readonly state: EntryState
}

export function viewOf({ state, section, definition, ...rest }: ViewSource): PluginView {
  const disableReason = disableReasonIn(state)
  const running = state.kind === 'running' ? state : undefined
  const stopped = availabilityIn(state) === 'off' ? 'off' : disableReason === undefined ? 'starting' : 'disabled'
  return {
    ...rest,
    version: definition?.version ?? '',
    description: definition?.description ?? '',
    definition,
    config: section && (running?.generation.ports.asListening(section) ?? section),
    state: running === undefined ? stopped : 'running',
    disableReason,
    lastError: running?.error,
    listeners: running?.generation.listeners ?? [],
    udpListeners: running?.generation.udpListeners ?? [],
    pages: running?.generation.pages,
  }
}

/** The protocols that are recognised by the first bytes of clients, with the addresses that accept them. */
export function foreignProtocols(plugins: readonly PluginView[]) {
  return plugins.flatMap(({ name, definition, listeners: addresses }) => {
    const firstByte = definition?.protocol?.firstByte
    return firstByte === undefined ? [] : [{ name, firstByte, addresses }]
  })
}

/** The plugins as a tree, each below the last of those that it had to wait for, with times in milliseconds. */
export function formatBootTree(plugins: readonly PluginView[]): string {
  const needed = (plugin: PluginView) => {
    const needs = plugin.state === 'running' ? (plugin.definition?.requires ?? []) : []
    return plugins.filter((other) => other !== plugin && needs.some((need) => offers(other, need)))
  }
  const depth = (plugin: PluginView): number => Math.max(0, ...needed(plugin).map((other) => depth(other) + 1))
  const parentOf = (plugin: PluginView) =>
    needed(plugin)
      .toSorted((a, b) => depth(a) - depth(b))
      .at(-1)
  const lines = (parent: PluginView | undefined, indent: string): string[] =>
    plugins
      .filter((plugin) => parentOf(plugin) === parent)
      .flatMap((plugin) => [indent + describe(plugin), ...lines(plugin, `${indent}  `)])
  return lines(undefined, '').join('\n')
}

function offers({ name, definition }: PluginView, need: string): boolean {
  return name === need || (definition?.provides?.includes(need) ?? false)
}

function describe(plugin: PluginView): string {
  const title = `${plugin.name} ${plugin.version}`.trimEnd()
  if (plugin.disableReason !== undefined) return `${title}: ${plugin.state}: ${plugin.disableReason}`
  return `${title}: load ${plugin.loadMs.toFixed(0)} ms, setup ${plugin.setupMs.toFixed(0)} ms`
}
