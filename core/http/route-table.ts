import type { RouteOptions } from 'fastify'
import type { Access, RouteAccess } from 'sluice/sdk'

/** A route as it was added, and the expression that paths are compared with. */
export type Route = {
  readonly pattern: string
  readonly path: RegExp
  readonly methods: readonly string[]
  /** Undefined where the route declares no access. */
  readonly access: RouteAccess | undefined
}

/** The routes of an app. They distinguish a wrong method from an unknown path, and decide which of two apps a path is for. */
export class RouteTable {
  readonly #routes: Route[] = []
  /** Addresses of operations, and those of the pages that stand for them in browsers. */
  readonly standIns = new Map<string, string>()

  /** Takes a pattern of fastify: `/a/:id`, `/a/:id(^\\d+$)`, `/a/:id?`, `/a/*`. */
  add({ url, method, config }: Pick<RouteOptions, 'url' | 'method' | 'config'>): void {
    const methods = [method].flat()
    this.#routes.push({ pattern: url, path: pathExpression(url), methods, access: config?.access })
    for (const [operation, page] of Object.entries(config?.standsFor ?? {})) this.standIns.set(operation, page)
  }

  [Symbol.iterator](): Iterator<Route> {
    return this.#routes.values()
  }

  has(method: string, pattern: string): boolean {
    const shape = shapeOf(pattern)
    return this.#routes.some((route) => shapeOf(route.pattern) === shape && route.methods.includes(method))
  }

  /** The methods of all routes that match, in upper case; empty where none does. */
  methodsOn(path: string): string[] {
    return [...new Set(this.#on(path).flatMap(({ methods }) => methods))]
  }

  /** The rank of the closest route for the path, to be compared as text: the less, the closer; undefined where none matches. */
  rankOf(path: string, method?: string): string | undefined {
    const matching = this.#on(path).filter(({ methods }) => method === undefined || methods.includes(method))
    return matching.map(({ pattern }) => rank(pattern)).toSorted()[0]
  }

  /** The access for an upgrade of a path: public where all routes that read there are public, admins' otherwise. */
  upgradeAccess(path: string): Access {
    const readable = this.#on(path).filter(({ methods }) => methods.includes('GET'))
    return readable.length > 0 && readable.every(({ access }) => access === 'public') ? 'public' : 'admin'
  }

  #on(path: string): Route[] {
    return this.#routes.filter((route) => route.path.test(path))
  }
}

/** A pattern without the names of its parameters. */
function shapeOf(pattern: string): string {
  return pattern.replaceAll(/:\w+/g, ':')
}

/** A letter for each part of a pattern: plain text is before parameters, and these are before the rest of a path. */
function rank(pattern: string): string {
  const letterOf = (part: string) => (part.includes('*') ? 'c' : part.includes(':') ? 'b' : 'a')
  return pattern.split('/').map(letterOf).join('')
}

const PART = /\/:\w+\?$|:\w+(?:\((?:[^()]|\([^()]*\))*\))?|\*|[^:*/]+|\/|:/g

/** The expression of a pattern. A parameter's own expression is taken as "something": to answer 405 for 404 there does no harm. */
function pathExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(PART, (part) => {
    if (part.startsWith('/:')) return '(?:/[^/]*)?'
    if (part.length > 1 && part.startsWith(':')) return '[^/]+?'
    return part === '*' ? '.*' : RegExp.escape(part)
  })
  return new RegExp(`^${source}$`)
}
