import { createHmac, timingSafeEqual } from 'node:crypto'

/** An entry of a playlist: the path of the request, and the segment or file. */
export type Listed = {
  readonly askedPath: string
  readonly what: readonly (string | number | undefined)[]
}

/**
 * Signs the entries of playlists, so that only clients that were admitted to a playlist get them without passing all gates again. A
 * signature contains the path of the recordings when the control server has directed the client to another one.
 */
export class ListedSignature {
  readonly #key: Uint8Array

  /** @param key a key that only this server has */
  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** @returns a text that needs no encoding in a query */
  sign(listed: Listed, streamPath: string): string {
    const mac = this.#macOf(listed, streamPath).toString('base64url')
    return streamPath === listed.askedPath ? mac : `${mac}.${Buffer.from(streamPath).toString('base64url')}`
  }

  /** The path of the recordings; undefined for a signature that this server did not make. */
  verify(signature: string, listed: Listed): string | undefined {
    const [mac = '', path] = signature.split('.')
    const streamPath = path === undefined ? listed.askedPath : Buffer.from(path, 'base64url').toString()
    const [given, right] = [Buffer.from(mac, 'base64url'), this.#macOf(listed, streamPath)]
    return given.length === right.length && timingSafeEqual(given, right) ? streamPath : undefined
  }

  #macOf({ askedPath, what }: Listed, streamPath: string): Buffer {
    const fields = [askedPath, streamPath, ...what.map((field) => field ?? null)]
    return createHmac('sha256', this.#key).update(JSON.stringify(fields)).digest()
  }
}
