/** The path and query of a request target, which proxies may send as a whole URL (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  const authority = /^https?:\/\/[^/?#]*/i.exec(target)?.[0]
  if (authority === undefined) return target
  const rest = target.slice(authority.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Splits a URL into the first segment of its path, and the rest for the routes that are mounted there. */
export function splitMount(url: string): { readonly mount: string; readonly rest: string } {
  if (!url.startsWith('/')) return { mount: '', rest: url }
  const end = url.slice(1).search(/[/?#]/)
  if (end < 0) return { mount: url.slice(1), rest: '/' }
  const rest = url.slice(end + 1)
  return { mount: url.slice(1, end + 1), rest: rest.startsWith('/') ? rest : `/${rest}` }
}
