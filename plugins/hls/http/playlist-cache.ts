import { gzipSync } from 'node:zlib'
import { serializeMediaPlaylist, type MediaPlaylist } from '../wire/media-playlist.ts'

/** An answer that all requests share; it must not be changed. */
export type ReadyReply = {
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

export type PlaylistRequest = {
  /** The query that each address contains; empty, or from `?` on. */
  readonly carried: string
  readonly skip: boolean
  readonly gzip: boolean
}

/** The most queries for which texts are kept. Beyond them, texts are built for each request, and not compressed. */
const MAX_QUERIES = 64
/** The placeholder of the query. No name contains it. */
const QUERY_MARK = '\u{e000}'
const CACHE_CONTROL = 'no-cache'
const CONTENT_TYPE = 'application/vnd.apple.mpegurl'

/** A playlist in one state, for all queries. */
type Version = { readonly pieces: readonly string[]; readonly texts: Map<string, PlaylistText> }

/** One rendition's current playlist, written once for all requests with the same query. */
export class PlaylistCache {
  readonly #snapshot: (options: { readonly skip: boolean }) => MediaPlaylist
  readonly #address: (uri: string) => string
  #full: Version | undefined
  #delta: Version | undefined

  /** @param address returns the address of a file or rendition relative to the playlist */
  constructor(snapshot: (options: { readonly skip: boolean }) => MediaPlaylist, address: (uri: string) => string) {
    this.#snapshot = snapshot
    this.#address = address
  }

  /** Forgets the texts, as the playlist has changed. */
  drop(): void {
    this.#full = undefined
    this.#delta = undefined
  }

  reply({ carried, skip, gzip }: PlaylistRequest): ReadyReply {
    const version = skip ? (this.#delta ??= this.#write(true)) : (this.#full ??= this.#write(false))
    const known = version.texts.get(carried)
    if (known !== undefined) return known.reply(gzip)
    const text = new PlaylistText(version.pieces.join(carried), CACHE_CONTROL)
    if (version.texts.size >= MAX_QUERIES) return text.reply(false)
    version.texts.set(carried, text)
    return text.reply(gzip)
  }

  #write(skip: boolean): Version {
    const text = serializeMediaPlaylist(this.#snapshot({ skip }), (uri) => this.#address(uri) + QUERY_MARK)
    return { pieces: text.split(QUERY_MARK), texts: new Map() }
  }
}

/** The text of a playlist, as bytes and compressed; each is made once. */
export class PlaylistText {
  readonly #plain: ReadyReply
  readonly #cacheControl: string
  #compressed: ReadyReply | undefined

  constructor(text: string, cacheControl: string) {
    this.#cacheControl = cacheControl
    this.#plain = this.#reply(Buffer.from(text), {})
  }

  reply(gzip: boolean): ReadyReply {
    if (!gzip) return this.#plain
    this.#compressed ??= this.#reply(gzipSync(this.#plain.body), { 'content-encoding': 'gzip' })
    return this.#compressed
  }

  #reply(body: Buffer, headers: Readonly<Record<string, string>>): ReadyReply {
    const own = { 'content-type': CONTENT_TYPE, 'cache-control': this.#cacheControl, 'content-length': body.length }
    return { headers: { ...own, ...headers }, body }
  }
}
