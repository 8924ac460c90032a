const MASK = '******'

/**
 * A URL as logs, lists and answers may show it: without what its user information and its query say. The names of the
 * query's parameters stay. What is no URL is masked up to its last `@` and from its first `?`.
 */
export function maskUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.host === '') return url.replace(/^.*@/su, `${MASK}@`).replace(/\?.*$/su, `?${MASK}`)
  const { protocol, username, password, host, pathname, searchParams } = parsed
  const user = username === '' && password === '' ? '' : `${MASK}@`
  const names = [...searchParams.keys()].map((name) => `${encodeURIComponent(name)}=${MASK}`)
  return `${protocol}//${user}${host}${pathname}${names.length === 0 ? '' : `?${names.join('&')}`}`
}

/**
 * The URL of a target that a stream is pushed to, as logs, lists and answers may show it: as {@link maskUrl}, and by RTMP without
 * the last part of the path, which is what platforms call the stream key.
 */
export function maskTarget(url: string): string {
  const masked = maskUrl(url)
  if (!/^rtmps?:/iu.test(masked)) return masked
  const [address = '', ...query] = masked.split('?')
  // Scheme, nothing and host come before the path.
  const parts = address.split('/')
  const last = parts.findLastIndex((part, index) => index > 2 && part !== '')
  if (last !== -1) parts[last] = MASK
  return [parts.join('/'), ...query].join('?')
}
