import { withoutQuery } from '../observe/logger.ts'
import type { Mounts } from './mount-table.ts'
import type { RouteTable } from './route-table.ts'

/** The routes of a plugin that runs, and its mounts. */
type Owner = Pick<Mounts, 'mounts'> & { readonly app: { readonly routes: Pick<RouteTable, 'standIns'> } }

const PARAMETER = /^\{\w+\}$/u

/** The pages of running plugins that browsers are shown in place of the answers of operations. */
export class OpenedPages {
  readonly #plugins: () => readonly Owner[]

  constructor(plugins: () => readonly Owner[]) {
    this.#plugins = plugins
  }

  /**
   * Returns the address of the page for that of an operation, with its query, and relative to it, as the server may be below a
   * path of a proxy's; undefined where no plugin has one.
   */
  wayFrom(url: string): string | undefined {
    const path = withoutQuery(url)
    for (const { mounts, app } of this.#plugins()) {
      for (const [operation, page] of app.routes.standIns) {
        const target = pageFor(path, operation, page)
        const depth = path.split('/').length - 2
        const up = depth === 0 ? './' : '../'.repeat(depth)
        if (target !== undefined) return `${up}${mounts[0] ?? ''}${target}${url.slice(path.length)}`
      }
    }
    return undefined
  }
}

/** The address of a page, with the parts of the path for the operation's parameters; undefined where the path is another. */
function pageFor(path: string, operation: string, page: string): string | undefined {
  const asked = path.split('/')
  const parts = operation.split('/')
  if (asked.length !== parts.length) return undefined
  const values = new Map<string, string>()
  for (const [index, part] of parts.entries()) {
    const text = asked[index] ?? ''
    if (PARAMETER.test(part) && text !== '') values.set(part, text)
    else if (part !== text) return undefined
  }
  return page
    .split('/')
    .map((part) => values.get(part) ?? part)
    .join('/')
}
