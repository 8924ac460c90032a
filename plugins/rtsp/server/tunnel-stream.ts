import { Duplex } from 'node:stream'
import { MalformedError } from 'sluice/sdk/media'
import { Base64Decoder } from '../wire/base64-decoder.ts'

/**
 * The two connections of a tunnel as one: the client's data come in base64 as the body of a POST, and the server's data go out as the body
 * of the answer to a GET. When its POST has ended, the client may send another.
 */
export class TunnelStream extends Duplex {
  readonly #out: Duplex
  #in: Duplex | undefined

  /** @param out the connection of the GET; the head of its answer has been sent */
  constructor(out: Duplex) {
    super({ allowHalfOpen: false })
    this.#out = out
    out.on('error', (error) => this.destroy(error))
    out.on('close', () => this.destroy())
    out.resume()
  }

  /** Reads from another connection, after `first`, the bytes that have been read from it already. */
  receiveFrom(carrier: Duplex, first: Buffer): void {
    this.#in?.destroy()
    this.#in = carrier
    const decoder = new Base64Decoder()
    const take = (bytes: Buffer) => {
      try {
        if (!this.push(decoder.push(bytes))) carrier.pause()
      } catch (error) {
        if (!(error instanceof MalformedError)) throw error
        this.destroy(error)
      }
    }
    carrier.on('error', () => carrier.destroy())
    carrier.on('data', take)
    if (first.length > 0) take(first)
    carrier.resume()
  }

  override _read(): void {
    this.#in?.resume()
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#out.write(bytes, done)
  }

  override _final(done: () => void): void {
    this.#out.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#in?.destroy()
    this.#out.destroy()
    done(error)
  }
}
