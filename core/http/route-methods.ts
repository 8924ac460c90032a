/** Which methods the routes of an app take on a path: what tells a wrong method from an unknown path. */
export class RouteMethods {
  readonly #routes: { readonly path: RegExp; readonly methods: readonly string[] }[] = []

  /** @param pattern as fastify takes it: `/a/:id`, `/a/:id(^\\d+$)`, `/a/:id?`, `/a/*` */
  add(pattern: string, methods: readonly string[]): void {
    this.#routes.push({ path: pathExpression(pattern), methods })
  }

  /** The methods of all routes that match, in upper case; empty where none does. */
  on(path: string): string[] {
    const methods = this.#routes.filter((route) => route.path.test(path)).flatMap((route) => route.methods)
    return [...new Set(methods)]
  }
}

const PART = /\/:\w+\?$|:\w+(?:\((?:[^()]|\([^()]*\))*\))?|\*|[^:*/]+|\/|:/g

/** A parameter's own expression is taken as "something": who answers 405 for 404 there does no harm. */
function pathExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(PART, (part) => {
    if (part.startsWith('/:')) return '(?:/[^/]*)?'
    if (part.length > 1 && part.startsWith(':')) return '[^/]+?'
    return part === '*' ? '.*' : RegExp.escape(part)
  })
  return new RegExp(`^${source}$`)
}
