import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export type PageConsole = Console<Paths>

/** A picture that is kept. */
export type Picture = Paths['GET /snap/api/list/{streamPath}']['answer']['data'][number]

/** The address of the pictures of a stream in the console; of all for an empty path. */
export function pageOf(streamPath: string): string {
  const path = streamPath.split('/').map(encodeURIComponent).join('/')
  return `/snap/snapshots${path === '' ? '' : `/${path}`}`
}
