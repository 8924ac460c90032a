import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { Mp4Parts, type Mp4Part } from './mp4-viewer.ts'

/** A viewer of live fMP4 in one stream of an HTTP/2 connection. */
export class Http2Viewer {
  readonly parts: Mp4Part[] = []
  readonly headers: Promise<IncomingHttpHeaders>
  /** Resolves when the server has ended the stream, or the viewer has left. */
  readonly ended: Promise<void>
  readonly #stream: ClientHttp2Stream

  constructor(session: ClientHttp2Session, path: string, method = 'GET') {
    const reader = new Mp4Parts()
    const headers = Promise.withResolvers<IncomingHttpHeaders>()
    const ended = Promise.withResolvers<void>()
    this.headers = headers.promise
    this.ended = ended.promise
    this.#stream = session.request({ ':path': path, ':method': method })
    this.#stream.on('response', (answer) => {
      headers.resolve(answer)
      if (answer[':status'] === 200) this.#stream.on('data', (bytes: Buffer) => this.parts.push(...reader.push(bytes)))
      else this.#stream.resume()
    })
    this.#stream.on('error', headers.reject)
    this.#stream.on('close', ended.resolve)
  }

  get status(): Promise<unknown> {
    return this.headers.then((headers) => headers[':status'])
  }

  close(): void {
    this.#stream.close()
  }
}
