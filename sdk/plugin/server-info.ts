import type { IncomingMessage } from 'node:http'
import type { Endpoints } from './endpoints.ts'
import type { TcpListener } from './net.ts'

/** The addresses of one running plugin, as its `endpoints` give them. */
export type PluginEndpoints = Required<Endpoints> & { readonly plugin: string }

/** The server's information about itself for plugins: the service `server`, which every server has. */
export interface ServerInfo {
  /** The time at which this run of the server began. */
  readonly startTime: Date
  /** The addresses of all running plugins, templates as in `Endpoints`. They hold no secrets and no paths of streams. */
  endpoints(): readonly PluginEndpoints[]
  /**
   * The addresses that a plugin accepts connections on, besides those of HTTP, with the real ports: for programs on this
   * machine. None where it does not run.
   */
  listeners(plugin: string): TcpListener['addresses']
  /**
   * True when the administration (`/api/…`) would answer this client where the request came in; while login is on, once the
   * client has logged in.
   */
  mayAdminister(request: IncomingMessage): boolean
}
