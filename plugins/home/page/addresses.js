/**
 * A stream and what goes into the query of its addresses, as viewers write it: `live/test?secret=…`. Of a whole URL only
 * that part is taken.
 */
export function parseTarget(text) {
  const written = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/iu, '')
  const [streamPath, query] = splitQuery(written.replace(/^\/+/u, ''))
  return { streamPath, query }
}

/** The target that the fragment of the page's address names; its path is empty when it names none. */
export function targetInFragment(hash) {
  const [path, query] = splitQuery(hash.replace(/^#/u, ''))
  try {
    return { streamPath: decodeURIComponent(path), query }
  } catch {
    return { streamPath: '', query: '' }
  }
}

export function fragmentOf({ streamPath, query }) {
  return withQuery(encodePath(streamPath), query)
}

export function textOf({ streamPath, query }) {
  return withQuery(streamPath, query)
}

/** Fills an address of the server (`{plugin, scheme, address}`) in for a stream. `pageUrl` is where the page is. */
export function addressOf({ scheme, address }, { streamPath, query }, pageUrl) {
  const isRelative = !address.includes('://')
  // Programs take the path of an RTMP address as it is written.
  const path = isRelative || /^(?:http|ws)s?$/u.test(scheme) ? encodePath(streamPath) : streamPath
  const filled = address
    .replaceAll('{streamPath}', () => path)
    .replaceAll('{hostName}', () => new URL(pageUrl).hostname)
  // It is part of the stream id, which ends at the next `&`.
  if (scheme === 'srt') return query === '' ? filled : `${filled}?${query.replaceAll('&', '%26')}`
  return withQuery(isRelative ? absolute(filled, scheme, pageUrl) : filled, query)
}

/** What an address is called: `RTMP`, `FLV over WebSocket`. */
export function labelOf({ plugin, scheme }) {
  if (scheme === plugin || scheme === `${plugin}s`) return scheme.toUpperCase()
  const carrier = { http: 'HTTP', https: 'HTTPS', ws: 'WebSocket', wss: 'WebSocket over TLS' }[scheme]
  return `${plugin.toUpperCase()} over ${carrier ?? scheme.toUpperCase()}`
}

/** An address as one word of a command line. */
export function shellWord(text) {
  return /^[\w./:@%+,=-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A proxy may have the server below a path of its own, and speak TLS for it. */
function absolute(path, scheme, pageUrl) {
  const url = new URL(path, new URL('.', pageUrl))
  if (scheme === 'ws') url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}

function encodePath(path) {
  return path.split('/').map(encodeURIComponent).join('/')
}

function withQuery(address, query) {
  if (query === '') return address
  return address + (address.includes('?') ? '&' : '?') + query
}

function splitQuery(text) {
  const at = text.indexOf('?')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
