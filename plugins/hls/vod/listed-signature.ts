import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a playlist lists: for whom asks by which path, and the segment or file of it. */
export type Listed = {
  readonly askedPath: string
  readonly what: readonly (string | number | undefined)[]
}

/**
 * Signs what playlists list, so that only who was let in to a playlist gets by without passing all gates again. A signature has the path
 * of the recordings with it where the control server led to another one.
 */
export class ListedSignature {
  readonly #key: Uint8Array

  /** @param key of this server alone */
  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** @returns a text that needs no encoding in a query */
  sign(listed: Listed, streamPath: string): string {
    const mac = this.#macOf(listed, streamPath).toString('base64url')
    return streamPath === listed.askedPath ? mac : `${mac}.${Buffer.from(streamPath).toString('base64url')}`
  }

  /** The path of the recordings; undefined for what this server did not sign. */
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
