const MASK = '******'
const ADDRESS = /[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>]+/giu

/**
 * A URL as logs, lists and answers may show it: without its user information and the values of its query. The names of the
 * query's parameters stay, of those that have a value. A text that is no URL is masked up to its last `@` and from its first
 * `?`.
 */
export function maskUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.host === '') return url.replace(/^.*@/su, `${MASK}@`).replace(/\?.*$/su, `?${MASK}`)
  const { protocol, username, password, host, pathname, search } = parsed
  const user = username === '' && password === '' ? '' : `${MASK}@`
  return `${protocol}//${user}${host}${pathname}${search && `?${maskQuery(search.slice(1))}`}`
}

/** A text in which each URL with a scheme is masked as by {@link maskUrl}. */
export function maskUrls(text: string): string {
  return text.replaceAll(ADDRESS, (address) => maskUrl(address))
}

function maskQuery(query: string): string {
  const parameters = query.split('&').map((parameter) => {
    const [name, ...value] = parameter.split('=')
    // A parameter without a value may be the secret itself.
    return value.length === 0 ? MASK : `${name}=${MASK}`
  })
  return parameters.join('&')
}

/**
 * The URL of a target that a stream is pushed to, as logs, lists and answers may show it: as {@link maskUrl}, and by RTMP without
 * the last part of the path, which is what platforms call the stream key. An address of RTMP that is no URL is masked whole.
 */
export function maskTarget(url: string): string {
  const parsed = URL.parse(url)
  if (!/^rtmps?:/iu.test(parsed?.protocol ?? url.trim())) return maskUrl(url)
  if (parsed === null || parsed.host === '') return `rtmp://${MASK}`
  const [address = '', ...query] = maskUrl(url).split('?')
  // Scheme, nothing and host come before the path.
  const parts = address.split('/')
  const last = parts.findLastIndex((part, index) => index > 2 && part !== '')
  if (last !== -1) parts[last] = MASK
  return [parts.join('/'), ...query].join('?')
}
