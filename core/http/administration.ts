import type { Spelling } from 'sluice/sdk/host'
import type { RoutedRequest } from 'sluice/sdk/http'
import { withoutQuery } from '../observe/logger.ts'
import type { HttpApp } from './http-app.ts'
import { SHARED_MOUNTS, type Mounts } from './mount-table.ts'
import { splitMount } from './request-path.ts'

/** A generation of a plugin: its mounts, and the app of its operations with absolute paths, if it has any. */
export type Administering = Mounts & { readonly administration: HttpApp | undefined }

/** The start of a plugin's absolute paths, unless they are below a prefix of the plugin or a shared one. */
const PLUGIN_PATHS = '/api/'

/**
 * Checks that a plugin may have an absolute path.
 * @throws {Error} when the path is the server's or another plugin's
 */
export function assertFree(
  { method, path, url }: Spelling,
  claimant: Administering,
  others: readonly Administering[],
  server: HttpApp,
): void {
  const refuse = (why: string): Error => new Error(`${claimant.name}: can't serve ${method} ${path}: ${why}`)
  const { mount } = splitMount(path)
  const isOwn = claimant.mounts.includes(mount) || SHARED_MOUNTS.has(mount)
  if (!isOwn && !path.startsWith(PLUGIN_PATHS)) {
    throw refuse(`absolute paths of plugins begin with ${PLUGIN_PATHS} or a mount of theirs`)
  }
  if (server.has(method, url)) throw refuse('the path belongs to the server')
  const holder = others.find(({ name, administration }) => name !== claimant.name && administration?.has(method, url))
  if (holder !== undefined) throw refuse(`the path belongs to the plugin ${holder.name}`)
}

/**
 * The app that answers a path of the administration: of several with a route for it, the one whose route names the path most
 * closely; the server's where none has a route.
 */
export function appFor(
  { method = 'GET' }: RoutedRequest,
  url: string,
  server: HttpApp,
  plugins: readonly Administering[],
): HttpApp {
  const path = withoutQuery(url)
  const apps = [server, ...plugins.flatMap(({ administration }) => administration ?? [])]
  return closest(apps, path, method) ?? closest(apps, path) ?? server
}

function closest(apps: readonly HttpApp[], path: string, method?: string): HttpApp | undefined {
  const ranked = apps.flatMap((app) => {
    const rank = app.rankOf(path, method)
    return rank === undefined ? [] : [{ app, rank }]
  })
  return ranked.toSorted((one, other) => (one.rank < other.rank ? -1 : 1))[0]?.app
}
