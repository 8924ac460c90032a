import { gzipSync } from 'node:zlib'

/** An answer as it is sent to whoever asks; nobody changes it. */
export type ReadyReply = {
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

const CONTENT_TYPE = 'application/vnd.apple.mpegurl'

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
