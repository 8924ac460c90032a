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
