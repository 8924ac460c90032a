import type { Socket } from 'node:net'
import { openSocket } from '../socket.ts'
import { ResponseReader, type Response } from './response-reader.ts'

type Pending = { readonly answered: (response: Response) => void; readonly failed: (error: unknown) => void }

/** A connection that is kept for one request after the other. */
export class HttpConnection {
  readonly socket: Socket
  readonly #head: string
  readonly #reader = new ResponseReader((response) => this.#answered(response))
  #pending: Pending | undefined

  /** @param closed told why it has ended */
  constructor(port: number, closed: (reason: string) => void) {
    this.#head = `HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`
    this.socket = openSocket(port, {
      connected: () => {},
      bytes: (view) => this.#receive(view),
      closed: (reason) => {
        this.#pending?.failed(new Error(reason))
        closed(reason)
      },
    })
  }

  /**
   * Asks for a path.
   * @param read takes what it wants out of the response, whose bytes are not kept
   * @throws {Error} when the connection ends before the response, and what `read` throws
   */
  get<Result>(path: string, keepsBody: boolean, read: (response: Response) => Result): Promise<Result> {
    this.#reader.keepsBody = keepsBody
    this.socket.write(`GET ${path} ${this.#head}`, 'latin1')
    return new Promise((resolve, failed) => {
      const answered = (response: Response) => {
        try {
          resolve(read(response))
        } catch (error) {
          failed(error)
        }
      }
      this.#pending = { answered, failed }
    })
  }

  #receive(view: Buffer): void {
    try {
      this.#reader.push(view)
    } catch (error) {
      this.socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #answered(response: Response): void {
    const pending = this.#pending
    this.#pending = undefined
    pending?.answered(response)
  }
}
