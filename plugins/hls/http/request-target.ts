import { decodePathPart } from 'sluice/sdk/http'

/** The file or playlist that a request asks for. Paths and names are decoded; a path has no slash at either end. */
export type RequestTarget =
  | {
      readonly kind: 'multivariant'
      readonly streamPath: string
      /** The way from here to the folders of sessions: empty, or the stream's name and a slash. */
      readonly folder: string
    }
  | { readonly kind: 'media'; readonly streamPath: string; readonly token: string; readonly rendition: string }
  | { readonly kind: 'file'; readonly streamPath: string; readonly name: string }

/** A session token of the host. Names of streams hardly begin like it, so that it isn't taken for a part of a path. */
const TOKEN = /^~[\w-]{36}$/
const PLAYLIST_ENDING = '.m3u8'
const FILE = /\.(?:m4s|mp4|ts)$/

/**
 * Parses a path below the plugin's mounts, as it was sent; undefined for an invalid one.
 *
 * | path                           | is                                  |
 * | ------------------------------ | ----------------------------------- |
 * | `{streamPath}/index.m3u8`      | the multivariant playlist           |
 * | `{streamPath}.m3u8`            | the same, as it was called before   |
 * | `{streamPath}/{token}/{r}.m3u8`| a rendition's playlist in a session |
 * | `{streamPath}/{file}`          | a segment, a part or a header       |
 */
export function parseRequestTarget(path: string): RequestTarget | undefined {
  const sent = path.replace(/^\/+/u, '').split('/')
  const parts = sent.map(decodePathPart)
  const last = parts.at(-1) ?? ''
  if (last.endsWith(PLAYLIST_ENDING)) return playlistTarget(parts, sent.at(-1) ?? '')
  return FILE.test(last) ? { kind: 'file', streamPath: streamPathOf(parts.slice(0, -1)), name: last } : undefined
}

function playlistTarget(parts: readonly string[], lastSent: string): RequestTarget {
  const name = (parts.at(-1) ?? '').slice(0, -PLAYLIST_ENDING.length)
  const above = parts.at(-2) ?? ''
  if (TOKEN.test(above)) {
    return { kind: 'media', streamPath: streamPathOf(parts.slice(0, -2)), token: above, rendition: name }
  }
  if (name === 'index' && parts.length > 1) {
    return { kind: 'multivariant', streamPath: streamPathOf(parts.slice(0, -1)), folder: '' }
  }
  // Anything but the ending, which may have been sent in another spelling of the same.
  const folder = lastSent.endsWith(PLAYLIST_ENDING) ? lastSent.slice(0, -PLAYLIST_ENDING.length) : encodeURI(name)
  const streamPath = streamPathOf([...parts.slice(0, -1), name])
  // A name with a colon would be read as a scheme.
  return { kind: 'multivariant', streamPath, folder: `${folder.includes(':') ? './' : ''}${addressText(folder)}/` }
}

function streamPathOf(parts: readonly string[]): string {
  return parts.join('/').replace(/^\/+|\/+$/gu, '')
}

/** Characters that would end an address, its quotes or line, begin a fragment, or refer to a variable (RFC 8216bis 4.3). */
const UNSAFE = /[^\u0021\u0024-\u007e]|\{(?=\$)/gu
const MAX_BYTE = 0xff

/** Escapes a text of a request line for a playlist: only characters that would break the playlist's text are changed. */
export function addressText(sent: string): string {
  return sent.replace(UNSAFE, percentEncoded)
}

// Bytes of a request line come as characters of Latin 1.
function percentEncoded(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const bytes = code > MAX_BYTE ? Buffer.from(char) : Buffer.of(code)
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
